/** Shows two lowerings side by side: of two releases or stages, before and after fixes, or ours and mlir-opt's. */
import * as vscode from "vscode";
import * as protocol from "./protocol";
import { ownSetting } from "./python";
import type { Server } from "./server";
import { pickOne, type Choice } from "./pick";
import { VERSIONS, pickVersion, versionName } from "./versions";

/** The parameters of a lowering except its source; they are part of a preview's URI. */
export type Shown = Omit<protocol.LoweringParams, "textDocument" | "compare">;

/** Two lowerings to compare, and a title that describes the difference. */
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

/** Returns the stages of a server as choices. */
export function stageChoices({ stages, stageDescriptions }: protocol.LoweringResult): Choice<string>[] {
  return (stages ?? []).map((value, index) => ({
    label: value,
    description: stageDescriptions?.[index] ?? "",
    value,
  }));
}

/** Asks the user for the lowering to compare with a preview. */
export async function chooseOther(
  shown: Shown,
  result: protocol.LoweringResult,
): Promise<Sides | "mlir-opt" | undefined> {
  const here = result.stage ?? "lowered";
  const fixes = (fixed: protocol.Fixes, description: string): Choice<Sides> => ({
    label: fixed === "safe" ? "After safe fixes" : "After all fixes",
    description,
    value: {
      left: {},
      right: { fixed, like: {} },
      title: `before ↔ after ${fixed === "safe" ? "safe" : "all"} fixes`,
    },
  });
  const choices: Choice<Sides | "mlir-opt">[] = [
    ...VERSIONS.filter((llvm) => llvm !== result.llvm).map((llvm) => ({
      label: versionName(llvm),
      description: "the same stage of another release",
      value: {
        left: {},
        right: { llvm, like: {} },
        title: `LLVM ${result.llvm ?? "?"} ↔ LLVM ${llvm}`,
      },
    })),
    fixes("safe", "only fixes that preserve the meaning"),
    fixes("unsafe", "including fixes that add or remove a wait"),
    ...stageChoices(result)
      .filter(({ value }) => value !== here)
      .map(({ value, label, description = "" }) => ({
        label,
        description,
        value: { left: { stage: value }, right: {}, title: `${value} ↔ ${here}` },
      })),
    ...(ownSetting("mlirOpt")
      ? [
          {
            label: "Your mlir-opt",
            description: "whether GPU Async prints the same",
            value: "mlir-opt" as const,
          },
        ]
      : []),
  ];
  const like = shown.explain ? "explained " : "";
  return pickOne<Sides | "mlir-opt" | undefined>(`Compare this ${like}preview with …`, choices, undefined);
}

export async function chooseStages(result: protocol.LoweringResult): Promise<Sides | undefined> {
  const stages = stageChoices(result);
  const left = await pickOne("Compare the stage …", stages, undefined);
  const right = left && (await pickOne("… with the stage …", stages, left));
  return left && right
    ? { left: { stage: left }, right: { stage: right }, title: `${left} ↔ ${right}` }
    : undefined;
}

export async function chooseFixes(): Promise<Sides | undefined> {
  const kinds: (vscode.QuickPickItem & { fixed: protocol.Fixes })[] = [
    { label: "Safe fixes", description: "only fixes that preserve the meaning", fixed: "safe" },
    { label: "All fixes", description: "including fixes that add or remove a wait", fixed: "unsafe" },
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

/**
 * Compares the lowering with that of the user's mlir-opt. A difference is a bug in this tool; offers a report to copy.
 */
export async function compareEngines(
  server: Server,
  params: protocol.LoweringParams,
): Promise<Sides | undefined> {
  const theirs = await server.request(protocol.lowering, { ...params, engine: "mlir-opt" });
  const { report } = await server.request(protocol.lowering, { ...params, compare: true });
  if (!report) {
    void vscode.window.showInformationMessage(`No difference from mlir-opt of LLVM ${theirs.llvm}.`);
    return undefined;
  }
  const said = `This differs from what your mlir-opt of LLVM ${theirs.llvm} prints. This is a bug in GPU Async.`;
  void vscode.window.showWarningMessage(said, "Copy Report").then(async (choice) => {
    if (choice) {
      await vscode.env.clipboard.writeText(report);
    }
  });
  const left: Shown = { engine: "mlir-opt" };
  return { left, right: { llvm: theirs.llvm, like: left }, title: "mlir-opt ↔ GPU Async" };
}
