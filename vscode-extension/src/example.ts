/** The program of the walkthrough: a copy with two dependencies, which LLVM does not lower. Repaired, it runs. */
import * as vscode from "vscode";
import type { Server } from "./server";

const EXAMPLE = `// A copy that depends on two tokens: gpu-to-llvm lowers it with exactly one.
module attributes {gpu.container_module} {
  func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

  func.func @main() {
    %n = arith.constant 16 : index
    %pi = arith.constant 3.14 : f32
    %host = memref.alloc(%n) : memref<?xf32>

    %t0 = gpu.wait async
    %a, %t1 = gpu.alloc async [%t0] (%n) : memref<?xf32>
    %b, %t2 = gpu.alloc async [%t0] (%n) : memref<?xf32>
    %t3 = gpu.memset async [%t2] %b, %pi : memref<?xf32>, f32
    %t4 = gpu.memcpy async [%t1, %t3] %a, %b : memref<?xf32>, memref<?xf32>
    %t5 = gpu.memcpy async [%t4] %host, %a : memref<?xf32>, memref<?xf32>
    %t6 = gpu.dealloc async [%t5] %a : memref<?xf32>
    %t7 = gpu.dealloc async [%t6] %b : memref<?xf32>
    gpu.wait [%t7]

    %printable = memref.cast %host : memref<?xf32> to memref<*xf32>
    call @printMemrefF32(%printable) : (memref<*xf32>) -> ()
    memref.dealloc %host : memref<?xf32>
    return
  }
}
`;

/**
 * Opens the program beside the walkthrough; completes the walkthrough's steps when a server runs and when the program
 * is repaired.
 */
export function registerExample(server: Server): vscode.Disposable {
  const broken = new Set<string>();
  return vscode.Disposable.from(
    tellThatServerRuns(server),
    vscode.commands.registerCommand("gpuasync.openExample", async () => {
      const document = await vscode.workspace.openTextDocument({ language: "mlir", content: EXAMPLE });
      broken.add(document.uri.toString());
      await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside);
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      broken.delete(uri.toString());
    }),
    vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      for (const document of vscode.workspace.textDocuments) {
        const ours = broken.has(document.uri.toString()) && document.getText() !== EXAMPLE;
        if (ours && uris.some((uri) => uri.toString() === document.uri.toString()) && isSound(document)) {
          broken.delete(document.uri.toString());
          void vscode.commands.executeCommand("setContext", "gpuasync.repaired", true);
        }
      }
    }),
  );
}

/**
 * Sets the context key that completes a walkthrough's step, while a server runs and a page other than a text is open.
 *
 * A walkthrough completes a step when the step's key becomes true. VS Code reads walkthroughs when it opens the first
 * one, and ignores a key that is already true then; a walkthrough is such a page.
 */
function tellThatServerRuns(server: Server): vscode.Disposable {
  let running = false;
  const tell = (): void => {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const isOpen = tabs.some(({ input }) => input === undefined);
    void vscode.commands.executeCommand("setContext", "gpuasync.running", running && isOpen);
  };
  return vscode.Disposable.from(
    vscode.window.tabGroups.onDidChangeTabs(tell),
    server.onRunning((now) => {
      running = now;
      tell();
    }),
  );
}

function isSound({ uri }: vscode.TextDocument): boolean {
  return vscode.languages
    .getDiagnostics(uri)
    .every(({ severity }) => severity !== vscode.DiagnosticSeverity.Error);
}
