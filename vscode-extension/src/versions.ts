/** The LLVM releases that the server knows. */
import { pickOne, type Choice } from "./pick";

export const VERSIONS = [24, 23, 22, 21, 20, 19, 18, 17, 16] as const;

/** How releases differ, in short; see the table in the README. */
function difference(llvm: number): string {
  if (llvm >= 23) {
    return "synchronous alloc and dealloc lower, launches take several dependencies";
  }
  return llvm >= 18
    ? "an op that fails to legalize silently stays"
    : "an op that fails to legalize ends the run with an error";
}

/** A release the user picked, null for the file's own, undefined for none. */
export async function pickVersion(
  title: string,
  current?: number | null,
): Promise<number | null | undefined> {
  const own: Choice<number | null> = {
    label: "As the file says",
    description: "comment, setting, configuration file, or the newest",
    value: null,
  };
  const releases = VERSIONS.map((llvm) => ({
    label: versionName(llvm),
    description: difference(llvm),
    value: llvm,
  }));
  return pickOne(title, [own, ...releases], current);
}

export function versionName(llvm: number | null): string {
  return llvm === null ? "the file's LLVM" : `LLVM ${llvm}`;
}
