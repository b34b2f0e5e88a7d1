/** The language client, which restarts a server that crashed, and does not report requests that fail meanwhile. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import type { CancellationToken } from "vscode";
import {
  ErrorAction,
  LanguageClient,
  State,
  StreamMessageReader,
  StreamMessageWriter,
  type ErrorHandler,
  type Executable,
  type LanguageClientOptions,
  type MessageTransports,
} from "vscode-languageclient/node";

type Message = Parameters<LanguageClient["handleFailedRequest"]>[0];

/** How long a stopped server may take to end, the same as in the base class. */
const END_MS = 2000;

export class Client extends LanguageClient {
  private hasUsedEarly = false;

  /** `early` is a server that already runs, and is used until it ends. */
  constructor(
    server: Executable,
    options: LanguageClientOptions,
    private readonly early: ChildProcessWithoutNullStreams | undefined,
  ) {
    super("gpuasync", "GPU Async", server, options);
  }

  protected override async createMessageTransports(encoding: string): Promise<MessageTransports> {
    if (!this.early || this.hasUsedEarly) {
      return super.createMessageTransports(encoding);
    }
    this.hasUsedEarly = true;
    createInterface(this.early.stderr).on("line", (line) => {
      this.outputChannel.error(line);
    });
    return {
      reader: new StreamMessageReader(this.early.stdout),
      writer: new StreamMessageWriter(this.early.stdin),
    };
  }

  /** Also kills a server that was started early and hangs; the base class kills only servers that it has started. */
  override async stop(timeout?: number): Promise<void> {
    try {
      await super.stop(timeout);
    } finally {
      setTimeout(() => this.early?.kill("SIGKILL"), END_MS).unref();
    }
  }

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
