/** Arranges an array of a report in rows, with the original indices: the last dimension across, all others down. */
import type { RunValue } from "../messages";

export type Cell = number | string;

export interface Grid {
  /** The number of rows; only the first rows may have known elements. */
  rows: number;
  columns: number;
  cell(row: number, column: number): Cell | undefined;
  /** Returns the indices at which a row begins: `1, 0` in the second plane, or the first element of a wrapped row. */
  index(row: number): string;
  elements: Cell[];
  /** The number of elements of the array. */
  size: number;
  /** Whether the array is a vector, wrapped into rows. */
  isVector: boolean;
}

/** The number of elements in a row of a wrapped vector. */
export const WRAP = 16;

export function gridOf({ shape, elements }: RunValue): Grid | undefined {
  if (!shape || !elements) {
    return undefined;
  }
  const size = shape.reduce((product, extent) => product * extent, 1);
  const isVector = shape.length < 2;
  const columns = isVector ? Math.min(WRAP, Math.max(1, size)) : (shape.at(-1) ?? 1);
  const rows = columns === 0 ? 0 : Math.ceil(size / columns);
  const outer = shape.slice(0, -1);
  const index = (row: number): string => {
    if (isVector) {
      return String(row * columns);
    }
    const parts: number[] = [];
    for (let at = outer.length - 1, rest = row; at >= 0; at--) {
      const extent = outer[at] ?? 1;
      parts.unshift(rest % extent);
      rest = Math.floor(rest / extent);
    }
    return parts.join(", ");
  };
  const cell = (row: number, column: number): Cell | undefined => elements[row * columns + column];
  return { rows, columns, cell, index, elements, size, isVector };
}

/** Returns the minimum, maximum and mean of the numbers, and how many elements are not numbers. */
export function statistics(elements: Cell[]): string {
  const values = elements.map(Number).filter(Number.isFinite);
  if (values.length === 0) {
    return "no numbers";
  }
  const [least, most, sum] = values.reduce(
    ([low, high, total], value) => [Math.min(low, value), Math.max(high, value), total + value],
    [Infinity, -Infinity, 0],
  );
  const others = elements.length - values.length;
  const parts = [`least ${format(least)}`, `greatest ${format(most)}`, `mean ${format(sum / values.length)}`];
  return [...parts, ...(others > 0 ? [`${others} not finite`] : [])].join(", ");
}

export function format(cell: Cell): string {
  return typeof cell === "number" && !Number.isInteger(cell)
    ? String(Number(cell.toPrecision(6)))
    : String(cell);
}
