/** Rows of numbers as a table with the indices around it. */
import type { Cell } from "./arrays";
import { element } from "./host";

const LIMIT = 64;

export function table(rows: Cell[][]): HTMLElement {
  const width = Math.min(LIMIT, Math.max(0, ...rows.map((row) => row.length)));
  const made = element("table");
  const head = made.createTHead().insertRow();
  head.append(element("th"), ...Array.from({ length: width }, (_, column) => element("th", String(column))));
  const body = made.createTBody();
  rows.slice(0, LIMIT).forEach((row, index) => {
    const cells = row.slice(0, width).map((cell) => element("td", format(cell)));
    body.insertRow().append(element("th", String(index)), ...cells);
  });
  const scroll = element("div", "", "scroll");
  scroll.append(made);
  return scroll;
}

function format(cell: Cell): string {
  return typeof cell === "number" && !Number.isInteger(cell)
    ? String(Number(cell.toPrecision(6)))
    : String(cell);
}
