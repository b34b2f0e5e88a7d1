/** A heat map of an array: one square per number, from dark (least) to bright (greatest). */
import { format, WRAP, type Cell, type Grid } from "./arrays";
import { element } from "./host";

const SIZE = 160;
const LEAST_HEIGHT = 16;
/** The maximum number of squares in a row or column; in larger arrays a square shows the first of several elements. */
const MOST = 256;

/** Returns the heat map with its scale; empty if there is nothing to compare. */
export function heatMap(grid: Grid, title = ""): HTMLElement[] {
  const numbers = grid.elements.map(Number).filter(Number.isFinite);
  if (numbers.length < 2) {
    return [];
  }
  const [least, most] = numbers.reduce(
    ([low, high], each) => [Math.min(low, each), Math.max(high, each)],
    [Infinity, -Infinity],
  );
  const columns = columnsOf(grid);
  const known = Math.ceil(grid.elements.length / columns);
  const [width, height] = [Math.min(MOST, columns), Math.min(MOST, known)];
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
      const cell: Cell | undefined = grid.elements[row * columns + Math.floor((x * columns) / width)];
      if (context && cell !== undefined && Number.isFinite(Number(cell))) {
        context.fillStyle = color(most > least ? (Number(cell) - least) / (most - least) : 0.5);
        context.fillRect(x, y, 1, 1);
      }
    }
  }
  const figure = element("figure", "", "heat-map");
  const scaleBar = element("div", "", "scale");
  scaleBar.style.setProperty("--scale", `linear-gradient(to right, ${STEPS.map(rgb).join(", ")})`);
  scaleBar.append(...[least, most].map((each) => element("span", format(each))));
  const caption = element("figcaption", title, "note");
  caption.append(scaleBar);
  figure.append(canvas, caption);
  return [figure];
}

/** Returns the number of columns; for a vector, several table rows are side by side so that the map is not a strip. */
function columnsOf({ columns, elements, isVector }: Grid): number {
  return isVector ? Math.min(elements.length, WRAP * Math.ceil(Math.sqrt(elements.length) / WRAP)) : columns;
}

/** Colors from violet through green to yellow with evenly increasing brightness, readable without color vision. */
const STEPS: readonly (readonly [number, number, number])[] = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
];

function rgb(parts: readonly number[]): string {
  return `rgb(${parts.map(Math.round).join(" ")})`;
}

/** Returns the color of a fraction from 0 to 1. */
function color(share: number): string {
  const at = share * (STEPS.length - 1);
  const low = Math.min(Math.floor(at), STEPS.length - 2);
  const [from, to] = [STEPS[low] ?? [], STEPS[low + 1] ?? []];
  return rgb(from.map((part, channel) => part + (at - low) * ((to[channel] ?? part) - part)));
}
