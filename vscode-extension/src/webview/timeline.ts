/** The operations of a run, one row a lane, as long as they took. */
import type { RunOperation } from "../messages";
import { content, picture } from "./host";

const ROW = 28;
const MARGIN = 90;

export function timeline(operations: RunOperation[]): HTMLElement {
  const lanes = [...new Set(operations.map(({ lane }) => lane))];
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
  const scale = `<text class="lane" x="${width}" y="${height + 16}" text-anchor="end">${(end - begin).toFixed(1)} µs</text>`;
  return picture(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height + 20}" width="${width}" role="group"
      aria-label="timeline of the run">${names.join("")}${bars.join("")}${scale}</svg>`,
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
