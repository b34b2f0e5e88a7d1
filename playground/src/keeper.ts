/**
 * Stores a memory snapshot of an interpreter with all imports, from which later visits start. The snapshot contains
 * nothing of a visitor's programs, because the interpreter has processed only an example.
 */
import { keepMemory, keptMemory, startPython } from "./python";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const WHOLE = { start: { line: 0, character: 0 }, end: { line: 1000, character: 0 } };
const AT = { line: 1, character: 4 };
/** The requests that a page sends, by method, with parameters. */
const REQUESTS = {
  "textDocument/codeAction": { range: WHOLE, context: { diagnostics: [] } },
  "textDocument/semanticTokens/full": {},
  "textDocument/inlayHint": { range: WHOLE },
  "gpuasync/lowering": {},
  "gpuasync/streams": {},
  "textDocument/hover": { position: AT },
  "textDocument/completion": { position: AT },
  "textDocument/formatting": { options: { tabSize: 2, insertSpaces: true } },
};

async function keep(text: string): Promise<void> {
  if (await keptMemory()) {
    return;
  }
  const python = await startPython(undefined, { _makeSnapshot: true });
  const answered = new Map<string, () => void>();
  const globals = python.globals as unknown as { set: (name: string, value: unknown) => void };
  globals.set("post", (message: string) => {
    const { id, method } = JSON.parse(message) as { id?: number; method?: string };
    answered.get(method ?? String(id))?.();
  });
  const receive = python.runPython("session()") as ((message: string) => void) & { destroy: () => void };
  const send = (message: object): void => {
    receive(JSON.stringify({ jsonrpc: "2.0", ...message }));
  };
  const answer = (key: string, message: object): Promise<void> =>
    new Promise((resolve) => {
      answered.set(key, resolve);
      send(message);
    });
  await answer("0", { id: 0, method: "initialize", params: { processId: null, rootUri: null, capabilities: {} } });
  send({ method: "initialized", params: {} });
  const textDocument = { uri: "file:///example.mlir", languageId: "mlir", version: 1, text };
  await answer("textDocument/publishDiagnostics", { method: "textDocument/didOpen", params: { textDocument } });
  for (const [at, [method, params]] of Object.entries(REQUESTS).entries()) {
    await answer(String(at + 1), { id: at + 1, method, params: { textDocument: { uri: textDocument.uri }, ...params } });
  }
  receive.destroy();
  await new Promise((resolve) => setTimeout(resolve, 100)); // Lets the event loop finish its tasks.
  python.runPython("import gc\ndel post\ngc.collect()");
  await keepMemory(python.makeMemorySnapshot());
}

scope.addEventListener("message", ({ data }: MessageEvent<string>) => {
  keep(data)
    .then(() => {
      scope.postMessage("kept");
    })
    .catch((reason: unknown) => {
      console.warn(reason);
    })
    .finally(() => {
      scope.close();
    });
});
