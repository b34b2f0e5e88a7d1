/** The language server in its worker, as a transport of the editor's LSP client. */
import type { Transport } from "@codemirror/lsp-client";
import type { WorkerEvent } from "./shared";

export interface Connection extends Transport {
  /** Called with what the server is at, in words, before it is there. */
  onStep: (step: string) => void;
  /** Called when the server is no more, with the reason. */
  onFailure: (reason: string) => void;
  close: () => void;
}

/**
 * Starts a worker of the page. Its code is that of a blob which imports it: such a worker has the content security
 * policy of this page, one from a file that of the response, which a plain file server has none for.
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

/** Starts the server. */
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

/** The message without the client's claim that it pulls diagnostics: it shows what it is sent, and never asks. */
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
