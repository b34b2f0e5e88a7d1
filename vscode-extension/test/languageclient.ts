/** The part of vscode-languageclient that the tested modules use, with servers that tests control. */
import { EventEmitter } from "./vscode";

export enum State {
  Stopped = 1,
  Running = 2,
  Starting = 3,
}

export enum ErrorAction {
  Continue = 1,
}

export const DocumentDiagnosticRequest = { method: "textDocument/diagnostic" };

export class RequestType {
  constructor(readonly method: string) {}
}

export class NotificationType extends RequestType {}

export class StreamMessageReader {
  constructor(readonly stream: unknown) {}
}

export class StreamMessageWriter extends StreamMessageReader {}

/** All clients that were created, in order. */
export const clients: LanguageClient[] = [];
/** How servers behave: a `hanging` one does not end in time, a start lasts until `started` resolves. */
export const servers = { hanging: false, started: Promise.resolve() };

export class LanguageClient {
  state = State.Stopped;
  initializeResult = { serverInfo: { name: "gpuasync-lsp", version: "0.2.0" } };
  private readonly changed = new EventEmitter<{ newState: State }>();
  readonly onDidChangeState = this.changed.event;

  constructor(
    _id: string,
    _name: string,
    readonly program: { command: string; args: string[] },
    readonly options: { initializationOptions: object },
  ) {
    clients.push(this);
  }

  async start(): Promise<void> {
    this.become(State.Starting);
    await servers.started;
    this.become(State.Running);
  }

  async dispose(): Promise<void> {
    await Promise.resolve();
    this.become(State.Stopped);
    if (servers.hanging) {
      throw new Error("Stopping the server timed out");
    }
  }

  /** How each error was shown to the user. */
  readonly shown: unknown[] = [];
  error(_message: string, _data: unknown, shows: unknown): void {
    this.shown.push(shows);
  }

  onNotification(): void {
    // The tests send none.
  }

  private become(newState: State): void {
    this.state = newState;
    this.changed.fire({ newState });
  }
}
