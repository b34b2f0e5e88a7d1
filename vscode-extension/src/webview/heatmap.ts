/** Rows of numbers as a picture, one square a number, from the darkest (least) to the brightest. */
import type { Cell } from "./arrays";
import { element } from "./host";

const SIZE = 160;
const LEAST_HEIGHT = 16;

/** The picture with its scale, or nothing where there is nothing to compare. */
export function heatMap(rows: Cell[][]): HTMLElement[] {
  const numbers = rows.flat().filter((cell): cell is number => typeof cell === "number" && isFinite(cell));
  const least = Math.min(...numbers);
  const most = Math.max(...numbers);
  const width = Math.max(0, ...rows.map((row) => row.length));
  if (numbers.length < 2) {
    return [];
  }
  const canvas = element("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `heat-map from ${least} to ${most}`);
  canvas.width = width;
  canvas.height = rows.length;
  const scale = Math.max(1, Math.floor(SIZE / Math.max(width, rows.length)));
  canvas.style.width = `${width * scale}px`;
  canvas.style.height = `${Math.max(rows.length * scale, LEAST_HEIGHT)}px`;
  const context = canvas.getContext("2d");
  rows.forEach((row, y) => {
    row.forEach((cell, x) => {
      if (context && typeof cell === "number") {
        context.fillStyle = colour(most > least ? (cell - least) / (most - least) : 0.5);
        context.fillRect(x, y, 1, 1);
      }
    });
  });
  const figure = element("figure", "", "heat-map");
  figure.append(canvas, element("figcaption", `${least} (dark) to ${most} (bright)`, "note"));
  return [figure];
}

/** From violet over green to yellow, each step brighter, so that it reads without colours too. */
function colour(share: number): string {
  return isFinite(share) ? `hsl(${280 - 225 * share} 70% ${18 + 52 * share}%)` : "transparent";
}
