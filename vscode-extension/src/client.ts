/** The language client, which does not report requests that fail because the server is restarting. */
import type { CancellationToken } from "vscode";
import { LanguageClient, State } from "vscode-languageclient/node";

type Message = Parameters<LanguageClient["handleFailedRequest"]>[0];

export class Client extends LanguageClient {
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
