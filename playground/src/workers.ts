/** The page's workers. */
import type { WorkerEvent } from "./shared";

export interface Started {
  worker: Worker;
  end: () => void;
}

/** The server's worker, with the events that arrived before the page listened. */
export interface StartedServer extends Started {
  early: (MessageEvent<string | WorkerEvent> | ErrorEvent)[];
}

declare global {
  /** The worker that boot.ts has started, until connection.ts takes it. */
  var server: StartedServer | undefined;
}

/**
 * Starts a worker of the page.
 *
 * The worker's code is a blob that imports `file`: a worker from a blob inherits the content security policy of this
 * page. A worker from a file has the policy of its HTTP response, and a plain file server sends none.
 */
export function startWorker(file: string): Started {
  const code = `import ${JSON.stringify(new URL(file, document.baseURI).href)};`;
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module", name: "gpuasync-lsp" });
  const end = (): void => {
    worker.terminate();
    URL.revokeObjectURL(url);
  };
  return { worker, end };
}

/** Starts the server's worker, and stores its events until a listener is set. */
export function startServer(): StartedServer {
  const { worker, end } = startWorker("worker.js");
  const early: StartedServer["early"] = [];
  worker.onmessage = worker.onerror = (event: (typeof early)[number]) => {
    early.push(event);
  };
  return { worker, end, early };
}
