/** Runs the language server in a worker, and provides the transport for the editor's LSP client. */
import type { Transport } from "@codemirror/lsp-client";
import type { WorkerEvent } from "./shared";

export interface Connection extends Transport {
  /** Called before each step of the start, with a description. */
  onStep: (step: string) => void;
  /** Called with the reason when the server has ended. */
  onFailure: (reason: string) => void;
  close: () => void;
}

/**
 * Starts a worker of the page.
 *
 * The worker's code is a blob that imports `file`: a worker from a blob inherits the content security policy of this
 * page. A worker from a file has the policy of its HTTP response, and a plain file server sends none.
 */
export function startWorker(file: string): { worker: Worker; end: () => void } {
  const code = `import ${JSON.stringify(new URL(file, document.baseURI).href)};`;
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module", name: "gpuasync-lsp" });
  const end = (): void => {
    worker.terminate();
    URL.revokeObjectURL(url);
  };
  return { worker, end };
}

/** Starts the server; returns the connection to it. */
export function connect(): Connection {
  const { worker, end } = startWorker("worker.js");
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
  worker.addEventListener("message", ({ data }: MessageEvent<string | WorkerEvent>) => {
    if (typeof data === "string") {
      for (const handler of handlers) {
        handler(data);
      }
    } else if ("step" in data) {
      connection.onStep(data.step);
    } else {
      connection.onFailure(data.failed);
    }
  });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    connection.onFailure(event.message || "the worker could not be started");
  });
  return connection;
}

/** Removes the capability to pull diagnostics from an `initialize` request: the page shows published ones only. */
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
