/** Two lowerings side by side: of two releases, of two stages, before and after fixes, ours and mlir-opt's. */
import * as vscode from "vscode";
import * as protocol from "./protocol";
import type { Server } from "./server";
import { pickVersion, versionName } from "./versions";

/** What a lowering is of, beside its source; it is part of the URI of a preview. */
export type Shown = Omit<protocol.LoweringParams, "textDocument" | "compare">;

/** Two lowerings to compare, and what tells them apart, in words. */
export interface Sides {
  left: Shown;
  right: Shown;
  title: string;
}

export async function chooseVersions(): Promise<Sides | undefined> {
  const left = await pickVersion("Compare the lowering of LLVM …");
  const right = left === undefined ? undefined : await pickVersion("… with that of LLVM …");
  if (left === undefined || right === undefined) {
    return undefined;
  }
  const [first, second] = [left, right].map((llvm) => ({ llvm: llvm ?? undefined }));
  return {
    left: { ...first },
    right: { ...second, like: { ...first } },
    title: `${versionName(left)} ↔ ${versionName(right)}`,
  };
}

export async function chooseStages(stages: string[]): Promise<Sides | undefined> {
  const left = await vscode.window.showQuickPick(stages, { title: "Compare the stage …" });
  const right = left && (await vscode.window.showQuickPick(stages, { title: "… with the stage …" }));
  return left && right
    ? { left: { stage: left }, right: { stage: right }, title: `${left} ↔ ${right}` }
    : undefined;
}

export async function chooseFixes(): Promise<Sides | undefined> {
  const kinds: (vscode.QuickPickItem & { fixed: protocol.Fixes })[] = [
    { label: "Safe fixes", description: "those that keep the meaning", fixed: "safe" },
    { label: "All fixes", description: "also those that add or remove a wait", fixed: "unsafe" },
  ];
  const picked = await vscode.window.showQuickPick(kinds, { title: "Compare before and after …" });
  return (
    picked && {
      left: {},
      right: { fixed: picked.fixed, like: {} },
      title: `before ↔ after ${picked.label.toLowerCase()}`,
    }
  );
}

/** Compares with the user's own mlir-opt. A difference is this tool's mistake, with a report to copy. */
export async function compareEngines(
  server: Server,
  params: protocol.LoweringParams,
): Promise<Sides | undefined> {
  const theirs = await server.request(protocol.lowering, { ...params, engine: "mlir-opt" });
  const { report } = await server.request(protocol.lowering, { ...params, compare: true });
  if (!report) {
    void vscode.window.showInformationMessage(`No difference to mlir-opt of LLVM ${theirs.llvm}.`);
    return undefined;
  }
  const said = `This differs from what your mlir-opt of LLVM ${theirs.llvm} prints. That is a mistake of GPU Async.`;
  void vscode.window.showWarningMessage(said, "Copy Report").then(async (choice) => {
    if (choice) {
      await vscode.env.clipboard.writeText(report);
    }
  });
  const left: Shown = { engine: "mlir-opt" };
  return { left, right: { llvm: theirs.llvm, like: left }, title: "mlir-opt ↔ GPU Async" };
}
