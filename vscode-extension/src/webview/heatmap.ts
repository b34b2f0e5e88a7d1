/** The elements of an array as a picture, one square a number, from the darkest (least) to the brightest. */
import type { Cell, Grid } from "./arrays";
import { element } from "./host";

const SIZE = 160;
const LEAST_HEIGHT = 16;
/** Of larger arrays each square stands for the first of several elements. */
const MOST = 256;

/** The picture with its scale, or nothing where there is nothing to compare. */
export function heatMap(grid: Grid, title = ""): HTMLElement[] {
  const numbers = grid.elements.map(Number).filter(Number.isFinite);
  if (numbers.length < 2) {
    return [];
  }
  const [least, most] = numbers.reduce(
    ([low, high], each) => [Math.min(low, each), Math.max(high, each)],
    [Infinity, -Infinity],
  );
  const known = Math.ceil(grid.elements.length / grid.columns);
  const [width, height] = [Math.min(MOST, grid.columns), Math.min(MOST, known)];
  const canvas = element("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${title}heat-map from ${least} to ${most}`);
  canvas.width = width;
  canvas.height = height;
  const scale = Math.max(1, Math.floor(SIZE / Math.max(width, height)));
  canvas.style.width = `${width * scale}px`;
  canvas.style.height = `${Math.max(height * scale, LEAST_HEIGHT)}px`;
  const context = canvas.getContext("2d");
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const row = Math.floor((y * known) / height);
      const cell: Cell | undefined = grid.cell(row, Math.floor((x * grid.columns) / width));
      if (context && cell !== undefined && Number.isFinite(Number(cell))) {
        context.fillStyle = colour(most > least ? (Number(cell) - least) / (most - least) : 0.5);
        context.fillRect(x, y, 1, 1);
      }
    }
  }
  const figure = element("figure", "", "heat-map");
  figure.append(canvas, element("figcaption", `${title}${least} (dark) to ${most} (bright)`, "note"));
  return [figure];
}

/** From violet over green to yellow, each step brighter, so that it reads without colours too. */
function colour(share: number): string {
  return isFinite(share) ? `hsl(${280 - 225 * share} 70% ${18 + 52 * share}%)` : "transparent";
}
