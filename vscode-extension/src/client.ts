/** The language client, which restarts a server that crashed, and does not report requests that fail meanwhile. */
import type { CancellationToken } from "vscode";
import { ErrorAction, LanguageClient, State, type ErrorHandler } from "vscode-languageclient/node";

type Message = Parameters<LanguageClient["handleFailedRequest"]>[0];

export class Client extends LanguageClient {
  /**
   * Leaves it to the end of the connection to restart the server. The base class stops the client for good if a write
   * fails (EPIPE), which is the first sign of a crash if the editor is sending a request.
   */
  override createDefaultErrorHandler(maxRestartCount?: number): ErrorHandler {
    const usual = super.createDefaultErrorHandler(maxRestartCount);
    return {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => usual.closed(),
    };
  }

  /** Only logs an error unless the server runs: a document that is saved while the server stops, for example. */
  override error(message: string, data?: unknown, shows: boolean | "force" = true): void {
    super.error(message, data, shows === "force" ? shows : shows && this.state === State.Running);
  }

  /** Hides the error unless the server runs: the editor repeats the request, and the stop is reported separately. */
  override handleFailedRequest<T>(
    type: Message,
    token: CancellationToken | undefined,
    error: unknown,
    value: T,
    isShown = true,
    throwsOnCancel = false,
  ): T {
    const shows = isShown && this.state === State.Running;
    return super.handleFailedRequest(type, token, error, value, shows, throwsOnCancel);
  }
}
