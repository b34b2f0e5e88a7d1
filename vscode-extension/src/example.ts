/** The walkthrough's program: a copy that waits for two allocations, which LLVM does not lower. */
import * as vscode from "vscode";

const EXAMPLE = `// A copy that depends on two tokens: gpu-to-llvm lowers it with exactly one.
module attributes {gpu.container_module} {
  func.func @main() {
    %n = arith.constant 16 : index
    %t0 = gpu.wait async
    %a, %t1 = gpu.alloc async [%t0] (%n) : memref<?xf32>
    %b, %t2 = gpu.alloc async [%t0] (%n) : memref<?xf32>
    %t3 = gpu.memcpy async [%t1, %t2] %a, %b : memref<?xf32>, memref<?xf32>
    %t4 = gpu.dealloc async [%t3] %a : memref<?xf32>
    %t5 = gpu.dealloc async [%t4] %b : memref<?xf32>
    gpu.wait [%t5]
    return
  }
}
`;

export function registerExample(): vscode.Disposable {
  return vscode.commands.registerCommand("gpuasync.openExample", async () => {
    const document = await vscode.workspace.openTextDocument({ language: "mlir", content: EXAMPLE });
    await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside);
  });
}
