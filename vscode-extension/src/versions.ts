/** The LLVM releases that the server knows. */
import { pickOne, type Choice } from "./pick";

export const VERSIONS = [24, 23, 22, 21, 20, 19, 18, 17, 16] as const;

/** How each release differs from the one before; see docs/semantics.md. */
export const DIFFERENCES: Record<(typeof VERSIONS)[number], string> = {
  24: "gpu.launch takes an explicit stream",
  23: "synchronous alloc and dealloc lower, launches take several dependencies",
  22: "loads and stores keep their alignment",
  21: "the size of a dynamic copy is the product of all its sizes",
  20: "a greedy rewrite before the conversion folds block arguments away",
  19: "most llvm ops can be inlined",
  18: "an op that fails to legalize silently remains",
  17: "pointers are opaque",
  16: "an op that fails to legalize ends the run with an error",
};

/** Asks for a release; returns null for the file's own, and undefined if the user cancels. */
export async function pickVersion(
  title: string,
  current?: number | null,
): Promise<number | null | undefined> {
  const own: Choice<number | null> = {
    label: "As the file specifies",
    description: "comment, setting, configuration file, or the newest",
    value: null,
  };
  const releases = VERSIONS.map((llvm) => ({
    label: versionName(llvm),
    description: DIFFERENCES[llvm],
    value: llvm,
  }));
  return pickOne(title, [own, ...releases], current);
}

export function versionName(llvm: number | null): string {
  return llvm === null ? "the file's LLVM" : `LLVM ${llvm}`;
}
