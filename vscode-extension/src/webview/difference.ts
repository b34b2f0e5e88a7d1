/** Compares an array of a report with an array of the previous run or of a file. */
import type { Compared } from "../messages";
import { format, type Cell, type Grid } from "./arrays";

export interface Difference {
  /** A sentence to show above the table. */
  summary: string;
  /** Returns the other array's element if it differs. */
  before: (row: number, column: number) => Cell | undefined;
  /** The distances between the arrays, for a heat map; undefined if they are equal. */
  grid?: Grid;
}

/** Compares the elements that are known in both arrays. */
export function difference(grid: Grid, shape: number[], other: Compared): Difference {
  const nothing = (): undefined => undefined;
  if (other.error) {
    return { summary: `Not compared with ${other.label}: ${other.error}`, before: nothing };
  }
  if (other.shape.join() !== shape.join()) {
    const summary = `Not compared with ${other.label}: its shape is ${other.shape.join(" x ") || "that of one number"}`;
    return { summary, before: nothing };
  }
  const known = Math.min(grid.elements.length, other.elements.length);
  const distances: Cell[] = [];
  let count = 0;
  let first = -1;
  let most = 0;
  for (let at = 0; at < known; at++) {
    const [one, two] = [grid.elements[at] ?? "", other.elements[at] ?? ""];
    const distance = one === two ? 0 : Math.abs(Number(one) - Number(two));
    distances.push(Number.isFinite(distance) ? distance : "nan");
    if (one !== two) {
      count++;
      first = first < 0 ? at : first;
      most = Math.max(most, Number.isFinite(distance) ? distance : 0);
    }
  }
  const of = known < grid.size ? `the first ${known} of ${grid.size} elements` : `${grid.size} elements`;
  const place = first < 0 ? "" : `, the first at [${indices(first, shape).join(", ")}]`;
  const summary =
    count === 0
      ? `Equal to ${other.label} in ${of}`
      : `${count} of ${of} differ from ${other.label}, by ${format(most)} at most${place}`;
  return {
    summary,
    before: (row, column) => {
      const at = row * grid.columns + column;
      return at < known && other.elements[at] !== grid.elements[at] ? other.elements[at] : undefined;
    },
    ...(count > 0
      ? {
          grid: {
            ...grid,
            elements: distances,
            cell: (row, column): Cell | undefined => distances[row * grid.columns + column],
          },
        }
      : {}),
  };
}

function indices(at: number, shape: number[]): number[] {
  const found: number[] = [];
  for (let rest = at, dimension = shape.length - 1; dimension >= 0; dimension--) {
    const extent = shape[dimension] ?? 1;
    found.unshift(rest % extent);
    rest = Math.floor(rest / extent);
  }
  return found;
}
