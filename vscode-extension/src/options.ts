/** Lets the user choose options of gpu-to-llvm for a preview. */
import * as vscode from "vscode";
import type { Shown } from "./compare";

const OPTIONS = [
  {
    label: "use-bare-pointers-for-host",
    description: "functions take a pointer for each memref of a static shape",
  },
  {
    label: "use-bare-pointers-for-kernels",
    description: "launches pass a pointer for each memref of a static shape",
  },
  {
    label: "intersperse-sizes-for-kernels",
    description: "the size in bytes follows each pointer of a launch (from LLVM 21)",
  },
];

export function optionsOf({ options }: Shown): string[] {
  return (options ?? "").split(" ").filter(Boolean);
}

/** Returns the chosen options in mlir-opt's syntax, empty for none; undefined if the user cancels. */
export async function pickOptions(shown: Shown): Promise<string | undefined> {
  const current = optionsOf(shown);
  const items = OPTIONS.map((option) => ({ ...option, picked: current.includes(option.label) }));
  const title = "Options of gpu-to-llvm";
  const picked = await vscode.window.showQuickPick(items, { title, canPickMany: true });
  return picked?.map(({ label }) => label).join(" ");
}
