/** A scrolling table of an array that creates only the visible cells, with the original indices. */
import { format, type Cell, type Grid } from "./arrays";
import { element } from "./host";

const ROW = 24;
/** The least and the greatest width of a column, and that of a character and of the space around a text. */
const LEAST_COLUMN = 40;
const MOST_COLUMN = 92;
const CHARACTER = 8.5;
const AROUND = 22;
const MOST_HEIGHT = 14 * ROW;
/**
 * Up to the first number of columns, the table is shown at full width if there is room; with more, it has at least the
 * width of the second number of the widest columns.
 */
const MOST_WHOLE = 5;
const LEAST_COLUMNS = 4;
/** The maximum height that browsers can show. */
const MOST_PIXELS = 8_000_000;

/** `before` returns the previous value of a cell that is marked as different. */
export function table(
  grid: Grid,
  name: string,
  before: (row: number, column: number) => Cell | undefined = () => undefined,
): HTMLElement {
  const column = columnWidth(grid);
  const scroll = element("div", "", "scroll");
  scroll.style.setProperty("--column", `${column}px`);
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", `elements of ${name}`);
  const sizer = element("div");
  sizer.style.height = `${Math.min((grid.rows + 1) * ROW, MOST_PIXELS)}px`;
  sizer.style.width = `${Math.min((grid.columns + 1) * column, MOST_PIXELS)}px`;
  const made = element("table");
  made.setAttribute("aria-rowcount", String(grid.rows + 1));
  made.setAttribute("aria-colcount", String(grid.columns + 1));
  sizer.append(made);
  scroll.append(sizer);
  scroll.style.maxHeight = `${MOST_HEIGHT}px`;
  scroll.style.maxWidth = `min(100%, ${sizer.style.width})`;
  // A scrolling table leaves room for the heat map beside it.
  scroll.style.flexBasis = grid.columns > MOST_WHOLE ? `${LEAST_COLUMNS * MOST_COLUMN}px` : sizer.style.width;
  let shown = "";
  const draw = (): void => {
    const height = scroll.clientHeight || MOST_HEIGHT;
    const width = scroll.clientWidth || 10 * column;
    const down = Math.max(1, Math.floor(height / ROW) - 1);
    const across = Math.max(1, Math.floor(width / column) - 1);
    const row = first(scroll.scrollTop, scroll.scrollHeight - height, grid.rows - down);
    const left = first(scroll.scrollLeft, scroll.scrollWidth - width, grid.columns - across);
    const key = [row, left, down, across].join();
    if (key !== shown) {
      shown = key;
      fill(made, grid, { row, column: left, down, across }, before);
    }
  };
  scroll.addEventListener("scroll", draw);
  new ResizeObserver(draw).observe(scroll);
  draw();
  return scroll;
}

/** Returns a width that the longest text of the table fits, up to a limit. */
function columnWidth(grid: Grid): number {
  const { elements, rows, columns } = grid;
  const texts = [String(columns - 1), grid.index(Math.max(0, rows - 1))];
  const longest = elements.reduce<number>(
    (most, each) => Math.max(most, format(each).length),
    Math.max(...texts.map((text) => text.length)),
  );
  return Math.ceil(Math.max(LEAST_COLUMN, Math.min(MOST_COLUMN, longest * CHARACTER + AROUND)));
}

/** Returns the first row or column at a scroll position; at the end of the range, the last ones are visible. */
function first(position: number, range: number, most: number): number {
  return most <= 0 || range <= 0 ? 0 : Math.round(Math.min(1, position / range) * most);
}

interface Part {
  row: number;
  column: number;
  down: number;
  across: number;
}

function fill(
  made: HTMLTableElement,
  grid: Grid,
  { row, column, down, across }: Part,
  before: (row: number, column: number) => Cell | undefined,
): void {
  const columns = count(column, Math.min(grid.columns, column + across));
  const head = element("thead");
  const top = head.insertRow();
  top.append(element("td"), ...columns.map((each) => heading(String(each), "col")));
  const body = element("tbody");
  for (const each of count(row, Math.min(grid.rows, row + down))) {
    const line = body.insertRow();
    line.setAttribute("aria-rowindex", String(each + 2));
    line.append(
      heading(grid.index(each), "row"),
      ...columns.map((other) => {
        const cell = grid.cell(each, other);
        const isInside = each * grid.columns + other < grid.size;
        const made = element("td", cell === undefined ? (isInside ? "…" : "") : format(cell));
        const was = before(each, other);
        if (was !== undefined) {
          made.className = "different";
          made.title = `was ${format(was)}`;
        }
        return made;
      }),
    );
  }
  made.replaceChildren(head, body);
}

function heading(text: string, scope: "row" | "col"): HTMLTableCellElement {
  const made = element("th", text);
  made.scope = scope;
  return made;
}

function count(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
