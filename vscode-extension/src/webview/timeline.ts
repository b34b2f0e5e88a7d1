/**
 * The timeline of a run: a row per lane, with the operations drawn to scale. It can be zoomed and moved along its axis.
 * For the selected operation, arrows show those that it waited for and those that waited for it.
 */
import { select } from "d3-selection";
import { zoom, zoomIdentity, type D3ZoomEvent, type ZoomTransform } from "d3-zoom";
import type { RunOperation } from "../messages";
import { content, element, send, wheelDelta } from "./host";

const ROW = 28;
const MARGIN = 90;
const AXIS = 24;
/** The minimum distance between two marks of the axis in pixels: the width of a label. */
const BETWEEN = 90;
const LETTER = 7;
/** The shortest part of a run that can fill the width, in microseconds. */
const LEAST = 1;
const STEP = 1.5;
const HINT = "Point at an op, or go to it with Tab, to see what it waited for.";
const XMLNS = "http://www.w3.org/2000/svg";

export function timeline(operations: RunOperation[]): HTMLElement {
  return new Timeline(operations).figure;
}

class Timeline {
  readonly figure = element("figure", "", "timeline");
  private readonly svg = part("svg", { role: "group", "aria-label": "timeline of the run" });
  /** Contains the part that moves, and clips it. */
  private readonly area = part("svg", {});
  /** The width for the names of lanes, to the left of the bars. */
  private readonly margin: number;
  private readonly said = element("p", "", "note");
  private readonly lanes: string[];
  private readonly begin: number;
  private readonly length: number;
  private readonly height: number;
  /** For each operation, the indices of those that directly follow it. */
  private readonly next: number[][];
  private width = 0;
  private at: ZoomTransform = zoomIdentity;
  private readonly zooming = zoom<SVGSVGElement, unknown>()
    .wheelDelta(wheelDelta)
    // The wheel scrolls the page; with Ctrl, or with two fingers on a touchpad, it zooms.
    .filter((event: MouseEvent) => (event instanceof WheelEvent ? event.ctrlKey : event.button === 0))
    .on("zoom", ({ transform }: D3ZoomEvent<SVGSVGElement, unknown>) => {
      this.at = transform;
      this.draw();
    });
  private readonly zoomed = select(this.svg).call(this.zooming).on("dblclick.zoom", null);

  constructor(private readonly operations: RunOperation[]) {
    this.lanes = [...new Set(operations.map(({ lane }) => lane))].sort(byNumber);
    this.margin = Math.max(MARGIN, ...this.lanes.map((lane) => lane.length * LETTER));
    this.begin = Math.min(...operations.map(({ start }) => start));
    const end = Math.max(...operations.map(({ start, duration }) => start + duration));
    this.length = Math.max(end - this.begin, LEAST);
    this.zooming.scaleExtent([1, this.length / LEAST]);
    this.height = this.lanes.length * ROW;
    this.next = operations.map(() => []);
    for (const [at, { after }] of operations.entries()) {
      for (const before of after) {
        this.next[before]?.push(at);
      }
    }
    this.said.textContent = HINT;
    this.said.setAttribute("role", "status");
    this.figure.append(this.bar(), this.svg, this.said);
    this.listen();
    new ResizeObserver(() => {
      this.resize();
    }).observe(this.figure);
    this.resize();
  }

  private bar(): HTMLElement {
    const made = element("div", "", "row");
    const button = (text: string, title: string, act: () => void): void => {
      const each = element("button", text, "secondary");
      each.title = title;
      if (text.length === 1) {
        each.setAttribute("aria-label", title);
      }
      each.addEventListener("click", act);
      made.append(each);
    };
    button("\u2212", "Zoom out (-)", () => {
      this.zooming.scaleBy(this.zoomed, 1 / STEP);
    });
    button("+", "Zoom in (+, Ctrl and the wheel)", () => {
      this.zooming.scaleBy(this.zoomed, STEP);
    });
    button("Fit", "Fit (0)", () => {
      this.zooming.transform(this.zoomed, zoomIdentity);
    });
    button("Open in Perfetto\u2026", "Save as a Chrome trace, which Perfetto opens", () => {
      send({ trace: true });
    });
    return made;
  }

  private listen(): void {
    const found = (event: Event): number => {
      const bar = (event.target as Element).closest<SVGElement>("[data-op]");
      return bar ? Number(bar.dataset["op"]) : -1;
    };
    const follow = (event: Event): void => {
      const line = this.operations[found(event)]?.place.line ?? 0;
      if (line > 0) {
        send({ line: line - 1 });
      }
    };
    this.svg.addEventListener("click", follow);
    this.svg.addEventListener("pointerover", (event) => {
      this.point(found(event));
    });
    this.svg.addEventListener("focusin", (event) => {
      this.point(found(event));
    });
    this.svg.addEventListener("pointerleave", () => {
      this.point(-1);
    });
    this.figure.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) {
        return;
      }
      const move = (this.width - this.margin) / 8 / this.at.k;
      const acts: Partial<Record<string, () => void>> = {
        "+": () => {
          this.zooming.scaleBy(this.zoomed, STEP, this.middle(found(event)));
        },
        "=": () => acts["+"]?.(),
        "-": () => {
          this.zooming.scaleBy(this.zoomed, 1 / STEP, this.middle(found(event)));
        },
        "0": () => {
          this.zooming.transform(this.zoomed, zoomIdentity);
        },
        ArrowLeft: () => {
          this.zooming.translateBy(this.zoomed, move, 0);
        },
        ArrowRight: () => {
          this.zooming.translateBy(this.zoomed, -move, 0);
        },
        ...(found(event) >= 0 && {
          Enter: () => {
            follow(event);
          },
          " ": () => {
            follow(event);
          },
        }),
      };
      const act = acts[event.key];
      if (act) {
        event.preventDefault();
        act();
      }
    });
  }

  private resize(): void {
    const width = Math.max(400, content().clientWidth);
    if (width === this.width) {
      return;
    }
    this.width = width;
    const shown: [[number, number], [number, number]] = [
      [0, 0],
      [width - this.margin, this.height],
    ];
    this.zooming.extent(shown).translateExtent(shown);
    set(this.svg, { width, height: this.height + AXIS, viewBox: `0 0 ${width} ${this.height + AXIS}` });
    set(this.area, { x: this.margin, width: width - this.margin, height: this.height + AXIS });
    const names = this.lanes.map((lane, row) =>
      part("text", { class: "lane", x: 0, y: row * ROW + 18 }, lane),
    );
    this.svg.replaceChildren(...names, this.area);
    this.draw();
  }

  /** Returns the position of a time, in pixels of the area. */
  private x(time: number): number {
    return this.at.applyX(((time - this.begin) / this.length) * (this.width - this.margin));
  }

  /** Returns the fixed point of a zoom with keys: the operation `index`, which has the focus, or the middle of the area. */
  private middle(index: number): [number, number] {
    const operation = this.operations[index];
    const at = operation && this.x(operation.start + operation.duration / 2);
    return [at ?? (this.width - this.margin) / 2, 0];
  }

  private draw(): void {
    const width = this.width - this.margin;
    const focused = document.activeElement?.closest<SVGElement>("[data-op]")?.dataset["op"];
    const [left, right] = [this.at.invertX(0), this.at.invertX(width)].map(
      (pixel) => (pixel / width) * this.length,
    );
    const marks = axis(left ?? 0, right ?? 0, Math.max(1, width / BETWEEN)).flatMap(([time, label]) => {
      const at = this.x(this.begin + time);
      const anchor = at < BETWEEN / 2 ? "start" : at + BETWEEN / 2 > width ? "end" : "middle";
      return [
        part("line", { class: "mark", x1: at, x2: at, y1: 0, y2: this.height + 5 }),
        part("text", { class: "mark", x: at, y: this.height + 18, "text-anchor": anchor }, label),
      ];
    });
    // If several operations are on one pixel of a lane, only the first is drawn: there may be 20,000.
    const taken = this.lanes.map(() => -Infinity);
    const bars = this.operations.flatMap((operation, index) => {
      const row = this.lanes.indexOf(operation.lane);
      const from = this.x(operation.start);
      const to = Math.max(from + 2, this.x(operation.start + operation.duration));
      const isHidden = to < 0 || from > width || to < (taken[row] ?? 0) + 1;
      if (isHidden && String(index) !== focused) {
        return [];
      }
      taken[row] = to;
      return [this.drawn(operation, index, row, from, to)];
    });
    const arrows = part("g", { class: "arrows" });
    this.area.replaceChildren(...marks, ...bars, arrows);
    if (focused !== undefined) {
      this.area.querySelector<SVGElement>(`[data-op='${focused}'] [tabindex]`)?.focus();
    }
  }

  private drawn(operation: RunOperation, index: number, row: number, from: number, to: number): SVGElement {
    const { label, lane, place } = operation;
    const bar = part("g", { class: `bar ${color(lane)}`, "data-op": index });
    const shape = { x: from, y: row * ROW + 3, width: to - from, height: ROW - 6, rx: 3 };
    bar.append(
      part("rect", {
        ...shape,
        tabindex: 0,
        role: "link",
        "aria-label": this.about(index),
        ...(place.line > 0 && { "data-line": place.line - 1 }),
      }),
    );
    const visible = Math.max(from, 0);
    const said = fitting(label, to - visible);
    if (said) {
      // The text may be cut off; the link has all of it.
      bar.append(part("text", { x: visible + 4, y: row * ROW + 18, "aria-hidden": "true" }, said));
    }
    return bar;
  }

  /** Returns a description of an operation. */
  private about(index: number): string {
    const operation = this.operations[index];
    if (!operation) {
      return "";
    }
    const { label, lane, start, duration, place, bandwidth, after } = operation;
    const speed = bandwidth > 0 ? `, ${Number(bandwidth.toPrecision(3))} GB/s` : "";
    const others = after.flatMap((each) => {
      const other = this.operations[each];
      return other ? [`${other.label} on ${other.lane}${lineOf(other)}`] : [];
    });
    const order = others.length > 0 ? `; after ${others.join(", ")}` : "";
    return `${label} on ${lane}${lineOf({ place })}: ${round(duration)} at ${round(start - this.begin)}${speed}${order}`;
  }

  /** Shows the order around an operation; none for -1. */
  private point(index: number): void {
    const operation = this.operations[index];
    const before = operation?.after ?? [];
    const next = this.next[index] ?? [];
    const near = new Set([index, ...before, ...next]);
    for (const bar of this.area.querySelectorAll<SVGElement>("[data-op]")) {
      bar.classList.toggle("dimmed", operation !== undefined && !near.has(Number(bar.dataset["op"])));
    }
    const pairs = [
      ...before.map((each) => [each, index] as const),
      ...next.map((each) => [index, each] as const),
    ];
    this.area
      .querySelector(".arrows")
      ?.replaceChildren(...pairs.map(([one, other]) => this.arrow(one, other)));
    this.said.textContent = this.about(index) || HINT;
  }

  private arrow(from: number, to: number): SVGElement {
    const [one, other] = [this.operations[from], this.operations[to]];
    if (!one || !other) {
      return part("g", {});
    }
    const y = (lane: string): number => this.lanes.indexOf(lane) * ROW + ROW / 2;
    // A wait of the host lasts until the other operation has ended; the arrow points to that moment.
    const ended = one.start + one.duration;
    const [x1, x2] = [
      this.x(ended),
      this.x(Math.max(other.start, Math.min(ended, other.start + other.duration))),
    ];
    const [y1, y2] = [y(one.lane), y(other.lane)];
    const made = part("g", { class: "arrow" });
    made.append(
      part("path", { d: `M${x1} ${y1} C${x1 + 14} ${y1} ${x2 - 14} ${y2} ${x2} ${y2}` }),
      part("path", { class: "head", d: `M${x2} ${y2} l-7 -4 v8 z` }),
    );
    return made;
  }
}

/** Shortens a label to a width in pixels: a kernel without its module, then cut off at the end. */
function fitting(label: string, width: number): string {
  const short = label.split("::").at(-1) ?? label;
  const room = Math.floor(width / LETTER);
  const whole = [label, short].find(({ length }) => length < room);
  return whole ?? (room > 4 ? `${short.slice(0, room - 2)}…` : "");
}

function lineOf({ place }: Pick<RunOperation, "place">): string {
  return place.line > 0 ? ` (line ${place.line})` : "";
}

/**
 * Returns the marks of an axis in microseconds: at most `most`, in steps of 1, 2 or 5 times a power of ten, in one
 * unit.
 */
function axis(from: number, to: number, most: number): [number, string][] {
  const length = Math.max(to - from, 1e-3);
  const power = 10 ** Math.floor(Math.log10(length / most));
  const step = power * ([1, 2, 5].find((factor) => power * factor >= length / most) ?? 10);
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, mark) => {
    const at = (first + mark) * step;
    return [at, time(at, to)];
  });
}

/** Formats a time in microseconds in the unit appropriate for `scale`. */
function time(value: number, scale = value): string {
  const [unit, size] = scale < 1e3 ? ["µs", 1] : scale < 1e6 ? ["ms", 1e3] : ["s", 1e6];
  return `${Number((value / size).toPrecision(6))} ${unit}`;
}

/** Formats a number with a suitable number of digits. */
function round(value: number): string {
  return time(Number(value.toPrecision(4)));
}

/** Sorts the host first, then streams by number. */
function byNumber(one: string, other: string): number {
  return (
    Number(other === "host") - Number(one === "host") || one.length - other.length || (one < other ? -1 : 1)
  );
}

/** Returns the class of a lane's color, which depends on the stream's number, as in the streams picture. */
function color(lane: string): string {
  const number = /^stream (\d+)/.exec(lane)?.[1];
  return number === undefined ? "host" : `lane${Number(number) % 6}`;
}

function part<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number> = {},
  text = "",
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(XMLNS, tag);
  made.textContent = text;
  set(made, attributes);
  return made;
}

function set(made: SVGElement, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, String(value));
  }
}
