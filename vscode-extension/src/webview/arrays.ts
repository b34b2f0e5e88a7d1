/** Reads numbers in brackets, `[[1, 2], [3, ...]]`, as rows: the last dimension across, all others down. */

export type Cell = number | "…";

/** The rows, or undefined if the text is no array. */
export function rows(text: string): Cell[][] | undefined {
  if (!/^\s*\[/.test(text)) {
    return undefined;
  }
  const found: Cell[][] = [];
  let row: Cell[] = [];
  for (const [token] of text.matchAll(/[[\]]|\.\.\.|[^\s,[\]]+/g)) {
    if (token === "[" || token === "]") {
      if (row.length > 0) {
        found.push(row);
      }
      row = [];
    } else {
      row.push(token === "..." || token === "…" ? "…" : number(token));
    }
  }
  return found;
}

function number(token: string): number {
  const words: Record<string, number> = { inf: Infinity, "-inf": -Infinity, true: 1, false: 0 };
  return words[token.toLowerCase()] ?? Number(token);
}
