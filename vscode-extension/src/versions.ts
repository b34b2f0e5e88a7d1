/** The LLVM releases that the server knows. */
import * as vscode from "vscode";

export const VERSIONS = [24, 23, 22, 21, 20, 19, 18, 17, 16] as const;

/** A release the user picked, null for the file's own, undefined for none. */
export async function pickVersion(title: string, current?: number): Promise<number | null | undefined> {
  const items = [
    {
      label: "As the file says",
      description: "comment, setting, configuration file, or the newest",
      llvm: null,
    },
    ...VERSIONS.map((llvm) => ({
      label: `LLVM ${llvm}`,
      description: llvm === current ? "current" : "",
      llvm,
    })),
  ];
  return (await vscode.window.showQuickPick(items, { title }))?.llvm;
}

export function versionName(llvm: number | null): string {
  return llvm === null ? "the file's LLVM" : `LLVM ${llvm}`;
}
