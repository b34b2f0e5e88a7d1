/** Runs the language server in a worker, and provides the transport for the editor's LSP client. */
import type { Transport } from "@codemirror/lsp-client";
import type { WorkerEvent } from "./shared";
import { startServer } from "./workers";

export interface Connection extends Transport {
  /** Called before each step of the start, with a description. */
  onStep: (step: string) => void;
  /** Called with the reason after the server has ended. */
  onFailure: (reason: string) => void;
  close: () => void;
}

/** Connects to the server that boot.ts has started, or starts one. */
export function connect(): Connection {
  const { worker, end, early } = globalThis.server ?? startServer();
  globalThis.server = undefined;
  const handlers = new Set<(message: string) => void>();
  const connection: Connection = {
    onStep: () => undefined,
    onFailure: () => undefined,
    send(message) {
      worker.postMessage(patched(message));
    },
    subscribe: (handler) => handlers.add(handler),
    unsubscribe: (handler) => handlers.delete(handler),
    close: end,
  };
  worker.onmessage = ({ data }: MessageEvent<string | WorkerEvent>) => {
    if (typeof data === "string") {
      for (const handler of handlers) {
        handler(data);
      }
    } else if ("step" in data) {
      connection.onStep(data.step);
    } else {
      connection.onFailure(data.failed);
    }
  };
  worker.onerror = (event: ErrorEvent) => {
    event.preventDefault();
    connection.onFailure(event.message || "the worker could not be started");
  };
  // After the caller has set the callbacks.
  queueMicrotask(() => {
    for (const event of early) {
      const { data } = event as MessageEvent<string | WorkerEvent>;
      worker.dispatchEvent(
        event instanceof ErrorEvent ? new ErrorEvent("error", { message: event.message }) : new MessageEvent("message", { data }),
      );
    }
  });
  return connection;
}

/** Removes the capability to pull diagnostics from an `initialize` request, since the page shows only published ones. */
function patched(message: string): string {
  if (!message.includes('"method":"initialize"')) {
    return message;
  }
  const request = JSON.parse(message) as {
    params: { capabilities: { textDocument: Record<string, unknown> } };
  };
  delete request.params.capabilities.textDocument["diagnostic"];
  return JSON.stringify(request);
}
