/** The language client, which says nothing of requests that came while the server was starting again. */
import type { CancellationToken } from "vscode";
import { LanguageClient, State } from "vscode-languageclient/node";

type Message = Parameters<LanguageClient["handleFailedRequest"]>[0];

export class Client extends LanguageClient {
  /** The editor asks again once the server runs; that it had stopped is said by itself. */
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
