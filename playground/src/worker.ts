/** The language server: Python in this worker, which receives and posts messages of LSP. */
import { forgetMemory, keptMemory, type Python, startPython } from "./python";
import type { WorkerEvent } from "./shared";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const waiting: string[] = [];
let receive: (message: string) => void = (message) => {
  waiting.push(message);
};

function tell(event: WorkerEvent): void {
  scope.postMessage(event);
}

scope.addEventListener("message", ({ data }: MessageEvent<string>) => {
  try {
    receive(data);
  } catch (error) {
    fail(error);
  }
});

/** Reports a fatal error and ignores further messages; the page starts another worker. */
function fail(error: unknown): void {
  receive = () => undefined;
  tell({ failed: error instanceof Error ? error.message.trim().split("\n").slice(-1)[0] ?? "" : String(error) });
}

/** Starts Python, from the memory snapshot of an earlier visit if there is one, which takes a fraction of the time. */
async function python(): Promise<Python> {
  const memory = await keptMemory();
  if (memory) {
    try {
      return await startPython(memory.arrayBuffer().then((buffer) => new Uint8Array(buffer)));
    } catch (reason) {
      console.info(reason);
      await forgetMemory();
    }
  }
  return startPython(undefined);
}

async function start(): Promise<void> {
  tell({ step: "Loading Python…" });
  const interpreter = await python();
  const globals = interpreter.globals as unknown as {
    set: (name: string, value: unknown) => void;
    get: (name: string) => (message: string) => void;
  };
  globals.set("post", (message: string) => {
    scope.postMessage(message);
  });
  receive = globals.get("receive");
  for (const message of waiting.splice(0)) {
    receive(message);
  }
}

start().catch(fail);
