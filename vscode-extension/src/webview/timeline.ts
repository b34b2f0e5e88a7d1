/** The operations of a run, one row a lane, as long as they took. */
import type { RunOperation } from "../messages";
import { content, picture } from "./host";

const ROW = 28;
const MARGIN = 90;
const AXIS = 24;
/** The least room between two marks of the axis, in pixels: that of a label. */
const BETWEEN = 90;

export function timeline(operations: RunOperation[]): HTMLElement {
  const lanes = [...new Set(operations.map(({ lane }) => lane))].sort(byNumber);
  const width = Math.max(400, content().clientWidth);
  const begin = Math.min(...operations.map(({ start }) => start));
  const end = Math.max(...operations.map(({ start, duration }) => start + duration), begin + 1);
  const x = (time: number): number => MARGIN + ((time - begin) / (end - begin)) * (width - MARGIN);
  const bars = operations.map((operation) => {
    const { label, lane, start, duration, place, bandwidth } = operation;
    const row = lanes.indexOf(lane);
    const length = Math.max(2, x(start + duration) - x(start));
    const speed = bandwidth > 0 ? `, ${bandwidth.toFixed(1)} GB/s` : "";
    const line = place.line > 0 ? `data-line="${place.line - 1}"` : "";
    const text =
      length > 7 * label.length
        ? `<text x="${x(start) + 4}" y="${row * ROW + 18}">${escape(label)}</text>`
        : "";
    return `<g class="bar ${colour(lane)}" ${line}>
      <title>${escape(label)}: ${duration.toFixed(1)} µs at ${(start - begin).toFixed(1)} µs${speed}</title>
      <rect x="${x(start)}" y="${row * ROW + 3}" width="${length}" height="${ROW - 6}" rx="3"></rect>${text}</g>`;
  });
  const names = lanes.map(
    (lane, row) => `<text class="lane" x="0" y="${row * ROW + 18}">${escape(lane)}</text>`,
  );
  const height = lanes.length * ROW;
  const marks = axis(end - begin, Math.max(1, (width - MARGIN) / BETWEEN)).map(([time, label], index) => {
    const at = x(begin + time);
    const anchor = index === 0 ? "start" : at + BETWEEN / 2 > width ? "end" : "middle";
    return `<line class="mark" x1="${at}" x2="${at}" y1="0" y2="${height + 5}"></line>
      <text class="mark" x="${at}" y="${height + 18}" text-anchor="${anchor}">${label}</text>`;
  });
  return picture(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height + AXIS}" width="${width}" role="group"
      aria-label="timeline of the run">${marks.join("")}${names.join("")}${bars.join("")}</svg>`,
  );
}

/** The marks of an axis of so many microseconds: at most `most` steps of 1, 2 or 5 times a power of ten, in one unit. */
function axis(length: number, most: number): [number, string][] {
  const power = 10 ** Math.floor(Math.log10(length / most));
  const step = power * ([1, 2, 5].find((factor) => power * factor >= length / most) ?? 10);
  const [unit, size] = length < 1e3 ? ["µs", 1] : length < 1e6 ? ["ms", 1e3] : ["s", 1e6];
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, mark) => [
    mark * step,
    `${Number(((mark * step) / size).toPrecision(6))} ${unit}`,
  ]);
}

/** The host first, then the streams by their numbers. */
function byNumber(one: string, other: string): number {
  return (
    Number(other === "host") - Number(one === "host") || one.length - other.length || (one < other ? -1 : 1)
  );
}

/** The class of a lane's colour: a stream has that of its number, as in the picture of streams and the hints. */
function colour(lane: string): string {
  const number = /^stream (\d+)/.exec(lane)?.[1];
  return number === undefined ? "host" : `lane${Number(number) % 6}`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
