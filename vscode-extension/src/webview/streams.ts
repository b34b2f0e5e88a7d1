/**
 * The page of the streams explorer: a toolbar, and a picture that can be moved and zoomed.
 *
 * The page does not depend on VS Code. It needs an element `#content`, a global `acquireVsCodeApi()` whose
 * `postMessage` gets each `StreamsWish`, and `StreamsMessage`s as `message` events of the window. The pictures are
 * those of `gpuasync/streams`, formats `compact-svg` and `svg`.
 */
import { select } from "d3-selection";
import { type D3ZoomEvent, zoom, zoomIdentity, type ZoomTransform } from "d3-zoom";
import type { StreamsMessage, StreamsPicture } from "../messages";
import { Heads } from "./heads";
import { content, element, keep, onMessage, send, wheelDelta } from "./host";
import { Minimap } from "./minimap";
import { addTitle, asPng, asSvg, TIP, withoutTitle } from "./picture";
import { redraw } from "./redraw";

/** The font size of the picture without zoom. */
const BASE = 12;
const MOST = 6;
/** Above the first scale, boxes replace the compact picture; below the second, the compact picture replaces boxes. */
const TO_BOXES = 1.6;
const TO_LINES = 0.8;
/** Selects the elements of ops: boxes, or lines of the compact picture. */
const OPS = ".box, .op";
/** The time without zooming after which the picture is drawn at its scale; until then it is stretched. */
const SHARPEN_MS = 200;
/** A picture is drawn at once at a smaller scale than this share of its own: shrunk, all of it would be painted. */
const LEAST_STRETCH = 0.5;
/** The time that the pointer must rest on an element to count, since pictures also move below the pointer. */
const REST_MS = 60;
const ARROWS: Partial<Record<string, [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** The keys that go to an op farther away: the first or last one (`Infinity`), or by this many heights of the view. */
const LEAPS: Partial<Record<string, number>> = { Home: -Infinity, End: Infinity, PageUp: -1, PageDown: 1 };

const bar = element("div", "", "bar");
bar.setAttribute("role", "toolbar");
bar.setAttribute("aria-label", "Streams");
const functions = element("select");
functions.setAttribute("aria-label", "Function");
const search = element("input");
search.type = "search";
search.placeholder = "Find op, value, stream";
search.setAttribute("aria-label", "Find");
const found = element("span", "", "note");
found.setAttribute("role", "status");
const note = element("span", "", "note");
const fold = element("input");
fold.type = "checkbox";
fold.id = "fold";
const foldLabel = element("label");
foldLabel.append(fold, "Fold alike");
foldLabel.title = "Draw equivalent streams as one, with their number";
const boxes = element("input");
boxes.type = "checkbox";
boxes.id = "boxes";
const boxesLabel = element("label");
boxesLabel.append(boxes, "Boxes");
boxesLabel.title = "A box for each op and a wide lane for each stream, as when zoomed in";
const stage = element("div", "", "stage");
const view = element("div", "", "view");
view.setAttribute("role", "region");
view.setAttribute("aria-label", "Picture");
view.append(element("p", "Drawing the streams\u2026", "note"));

let svg: SVGSVGElement | undefined;
let layer: SVGGElement | undefined;
let size = { width: 1, height: 1 };
/** The scale at which the picture was drawn. */
let drawnAt = 1;
let sharpening: number | undefined;
let least = 1;
let lastScale = 1;
let shownName: string | undefined;
/** Whether the picture is the compact one; `wantsCompact`: whether the requested one is. */
let isCompact = true;
let wantsCompact = true;
/**
 * When the other picture is requested, the line (from 0) that stays in place, its position, the scale to show it at,
 * and whether it has the focus.
 */
let held: { line: number; y: number; k: number; focus: boolean } | undefined;
/** The part that Tab leads to; arrow keys lead from it to all others. */
let stop: SVGElement | undefined;

const zooming = zoom<HTMLDivElement, unknown>()
  .wheelDelta(wheelDelta)
  // The wheel moves the picture; with Ctrl, or with two fingers on a touchpad, it zooms.
  .filter((event: Event) => !(event instanceof WheelEvent) || event.ctrlKey)
  .on("zoom", (event: D3ZoomEvent<HTMLDivElement, unknown>) => {
    place(event.transform);
    const { k } = event.transform;
    // Only manual zooming switches the picture, not fitting it to the panel.
    if (event.sourceEvent && isForOther(lastScale, k)) {
      ask(!isCompact, k);
    }
    lastScale = k;
  });
const map = new Minimap((x, y) => {
  zooming.translateTo(area, x, y);
});
const heads = new Heads();
const area = select<HTMLDivElement, unknown>(view).call(zooming).on("dblclick.zoom", null);
view.addEventListener(
  "wheel",
  (event) => {
    if (!event.ctrlKey) {
      event.preventDefault();
      const k = current().k;
      const [x, y] = event.shiftKey ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
      zooming.translateBy(area, -x / k, -y / k);
    }
  },
  { passive: false },
);

function button(text: string, title: string, act: () => void): HTMLButtonElement {
  const made = element("button", text);
  made.title = title;
  made.setAttribute("aria-label", title);
  made.addEventListener("click", act);
  return made;
}

const what = element("div", "", "group");
what.append(functions, search, found);
const how = element("div", "", "group");
how.append(
  foldLabel,
  boxesLabel,
  button("\u2212", "Zoom out (-)", () => {
    zoomBy(1 / 1.25);
  }),
  button("+", "Zoom in (+)", () => {
    zoomBy(1.25);
  }),
  button("1:1", "1:1, the size of the editor's text (1)", normal),
  button("Fit", "Fit (0)", fit),
  button("SVG", "Export as SVG", () => {
    if (svg) {
      send({ save: asSvg(svg, size), kind: "svg" });
    }
  }),
  button("PNG", "Export as PNG", () => {
    if (svg) {
      void asPng(svg, size).then((save) => {
        send({ save, kind: "png" });
      });
    }
  }),
);
bar.append(what, how, note);
stage.append(view, map.element);
content().append(bar, stage);
functions.addEventListener("change", () => {
  send({ name: functions.value });
});
fold.addEventListener("change", () => {
  send({ fold: fold.checked });
});
boxes.addEventListener("change", () => {
  ask(!boxes.checked, least);
});
search.addEventListener("input", () => {
  find(search.value, 0);
});
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    find(search.value, event.shiftKey ? -1 : 1);
  } else if (event.key === "ArrowDown") {
    event.preventDefault();
    (hits[hit] ?? stop)?.focus();
  }
});
window.addEventListener("keydown", (event) => {
  if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  if (event.key === "+" || event.key === "=") {
    zoomBy(1.25);
  } else if (event.key === "-") {
    zoomBy(1 / 1.25);
  } else if (event.key === "0") {
    fit();
  } else if (event.key === "1") {
    normal();
  } else if (event.key === "/") {
    event.preventDefault();
    search.focus();
  } else if (!bar.contains(event.target as Node) && move(event.target, event.key)) {
    event.preventDefault();
  }
});
new ResizeObserver(() => {
  limit();
  place(current());
}).observe(view);

/** Returns whether a change of scale switches to the other picture. */
function isForOther(from: number, to: number): boolean {
  return isCompact ? to > from && to > least * TO_BOXES : to < from && to < least * TO_LINES;
}

/** Zooms with a button or key; may switch to the other picture. */
function zoomBy(factor: number): void {
  const k = current().k * factor;
  if (isForOther(current().k, k)) {
    ask(!isCompact, k);
  } else {
    zoomTo(k);
  }
}

/** Zooms to the scale `k`; the anchor stays in place, or comes into view. */
function zoomTo(k: number): void {
  const part = anchor();
  const outer = view.getBoundingClientRect();
  const [x, y] = part ? middle(part) : [-1, -1];
  const isSeen = x >= outer.left && x <= outer.right && y >= outer.top && y <= outer.bottom;
  zooming.scaleTo(area, k, isSeen ? [x - outer.left, y - outer.top] : undefined);
  if (part) {
    reveal(part);
  }
}

/** Returns the op around which keys zoom: that with the focus, that of the cursor, or else the one in the middle. */
function anchor(): SVGElement | undefined {
  const active = document.activeElement?.closest<SVGElement>("[data-line]");
  const { top, left } = view.getBoundingClientRect();
  const [x, y] = [left + view.clientWidth / 2, top + view.clientHeight / 2];
  let found = [...(layer?.querySelectorAll<SVGElement>(OPS) ?? [])];
  for (const line of [active && layer?.contains(active) ? lineOf(active) : undefined, cursorLine]) {
    const here = found.filter((part) => lineOf(part) === line);
    found = here.length > 0 ? here : found;
  }
  const away = (part: SVGElement): number => {
    const [at, below] = middle(part);
    return Math.hypot(isCompact ? 0 : at - x, below - y);
  };
  return found.reduce<SVGElement | undefined>(
    (best, part) => (best && away(best) <= away(part) ? best : part),
    undefined,
  );
}

/** Returns the middle of a part on the page; of a line of text, which is as wide as the picture, its left end. */
function middle(part: SVGElement): [number, number] {
  const { left, right, top, bottom } = part.getBoundingClientRect();
  return [part.matches(".op") ? left : (left + right) / 2, (top + bottom) / 2];
}

/** Requests the other picture, to be shown at the scale `k` with the anchor in the same place. */
function ask(compact: boolean, k: number): void {
  if (compact !== wantsCompact) {
    const part = anchor();
    const outer = view.getBoundingClientRect();
    held = part && {
      line: lineOf(part),
      y: middle(part)[1] - (outer.top + outer.height / 2),
      k,
      focus: layer?.contains(document.activeElement) ?? false,
    };
    wantsCompact = compact;
    boxes.checked = !compact;
    send({ compact });
  }
}

/** Moves the picture so that the held line is where it was in the other picture. */
function settle(): void {
  if (!held || !layer) {
    return;
  }
  const { line, y, k, focus } = held;
  held = undefined;
  zooming.transform(area, zoomIdentity.scale(Math.max(least * 0.1, k)));
  draw();
  const parts = [...layer.querySelectorAll<SVGElement>(OPS)];
  const part = parts.find((each) => lineOf(each) === line);
  if (part) {
    const { top, bottom, left } = part.getBoundingClientRect();
    const outer = view.getBoundingClientRect();
    const scale = current().k;
    // A line of text has its lanes at the beginning, which must be visible; a box may be far to the right.
    const x = isCompact || left < outer.right ? 0 : outer.left + outer.width / 3 - left;
    const by = outer.top + outer.height / 2 + y - (top + bottom) / 2;
    zooming.translateBy(area, x / scale, by / scale);
    reveal(part);
    if (focus) {
      part.focus({ preventScroll: true });
    }
  }
}

/** Scrolls the first op at or below a source line to the top, as the source is scrolled. */
function scrollTo(top: number): void {
  const parts = [...(layer?.querySelectorAll<SVGElement>(OPS) ?? [])];
  const first = top === 0 ? undefined : parts.find((part) => lineOf(part) >= top);
  const { k, y } = current();
  const target = first
    ? first.getBoundingClientRect().top - view.getBoundingClientRect().top - heads.taken
    : y;
  if (Math.abs(target) > 1) {
    zooming.translateBy(area, 0, -target / k);
  }
}

function current(): ZoomTransform {
  return (view as unknown as { __zoom?: ZoomTransform }).__zoom ?? zoomIdentity;
}

/** Moves and stretches the picture, which needs no layout and no painting. */
function place(transform: ZoomTransform): void {
  const { x, y, k } = transform;
  if (k < drawnAt * LEAST_STRETCH) {
    draw();
    return;
  }
  if (svg) {
    svg.style.transform = `translate(${x}px, ${y}px) scale(${k / drawnAt})`;
  }
  heads.place(transform);
  map.mark(transform, {
    width: view.clientWidth,
    height: view.clientHeight,
    all: stage.clientWidth,
  });
  clearTimeout(sharpening);
  if (k !== drawnAt) {
    sharpening = setTimeout(draw, SHARPEN_MS);
  }
  if (resting !== undefined) {
    rest();
  }
}

/** Draws the picture at its current scale. */
function draw(): void {
  drawnAt = current().k;
  svg?.setAttribute("width", String(size.width * drawnAt));
  svg?.setAttribute("height", String(size.height * drawnAt));
  heads.draw(drawnAt, size.width);
  place(current());
}

/** Returns the minimum scale: the scale at which the whole picture is visible, but at least 0.05. */
function smallest(): number {
  return Math.max(0.05, Math.min(least, whole()));
}

/** Returns the scale at which the whole picture fits into the panel. */
function whole(): number {
  return Math.min(view.clientWidth / size.width, view.clientHeight / size.height);
}

/** Limits zooming and moving so that the picture never leaves the panel. */
function limit(): void {
  const { clientWidth: width, clientHeight: height } = view;
  zooming
    .scaleExtent([smallest(), least * MOST])
    .extent([
      [0, 0],
      [width, height],
    ])
    .translateExtent([
      [0, 0],
      [Math.max(size.width, width / smallest()), Math.max(size.height, height / smallest())],
    ]);
}

/** Zooms so that the text is as large as the editor's. */
function normal(): void {
  zoomTo(least);
}

/** Zooms so that the whole picture is visible. */
function fit(): void {
  zooming.transform(area, zoomIdentity.scale(Math.min(whole(), least * 1.5)));
}

function show(message: StreamsPicture): void {
  const { source, name, fold: folds, compact } = message;
  keep({ source, name, fold: folds, compact });
  least = message.fontSize / BASE;
  const isOther = message.compact !== isCompact;
  isCompact = message.compact;
  if (!svg) {
    // A reopened panel shows what the closed one did.
    wantsCompact = isCompact;
    boxes.checked = !isCompact;
  }
  functions.replaceChildren(
    ...message.functions.map((name) => {
      const option = element("option", `@${name}`);
      option.value = name;
      option.selected = name === message.name;
      return option;
    }),
  );
  fold.checked = message.fold;
  const drawn = parsed(message.svg);
  const made = drawn.querySelector("g") as SVGGElement;
  size = { width: drawn.viewBox.baseVal.width, height: drawn.viewBox.baseVal.height };
  if (svg?.isConnected && layer && shownName === message.name && !isOther) {
    for (const name of ["viewBox", "aria-label"]) {
      svg.setAttribute(name, drawn.getAttribute(name) ?? "");
    }
    if (redraw(layer, made)) {
      heads.show(svg);
      map.show(svg, size);
    }
  } else {
    [svg, layer] = [drawn, made];
    view.replaceChildren(drawn, heads.element);
    heads.show(drawn);
    map.show(drawn, size);
  }
  limit();
  if (shownName !== message.name) {
    shownName = message.name;
    zooming.transform(area, zoomIdentity.scale(least));
  }
  draw();
  if (isOther) {
    settle();
  }
  if (search.value) {
    find(search.value, 0);
  }
  light(lit);
  const many = layer.querySelectorAll(".race.many").length;
  view.classList.remove("old");
  note.textContent = many > 0 ? `${many} races, shown of the op at the cursor or pointer` : "";
  mark(message.cursor);
  stopAt(document.activeElement);
}

/** Parses a picture; groups all parts but the style, and adds a link to the fixes of each finding. */
function parsed(text: string): SVGSVGElement {
  const holder = element("div");
  holder.innerHTML = text;
  const drawn = holder.querySelector("svg");
  if (!drawn) {
    throw new Error("the server has sent no picture");
  }
  const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
  const style = drawn.querySelector("style");
  group.append(...[...drawn.children].filter((child) => child !== style));
  drawn.append(group);
  for (const finding of group.querySelectorAll<SVGElement>("[data-line][data-fix]")) {
    addFix(finding);
  }
  group.querySelectorAll("[tabindex]").forEach((part) => {
    part.setAttribute("tabindex", "-1");
  });
  group.querySelectorAll("[data-line]").forEach(withoutTitle);
  return drawn;
}

/** Adds a link to the fixes after a finding's text; only the text then links to the finding's line. */
function addFix(finding: SVGElement): void {
  const text = finding.querySelector("text");
  const [words, link] = ["tspan", "tspan"].map((name) =>
    document.createElementNS("http://www.w3.org/2000/svg", name),
  ) as [SVGTSpanElement, SVGTSpanElement];
  words.textContent = text?.textContent ?? "";
  for (const name of ["role", "tabindex", "aria-label", "data-line", "data-start"]) {
    words.setAttribute(name, finding.getAttribute(name) ?? "");
  }
  for (const name of ["role", "tabindex", "aria-label"]) {
    finding.removeAttribute(name);
  }
  link.textContent = "  Fix\u2026";
  link.setAttribute("class", "fix");
  link.setAttribute("tabindex", "0");
  link.setAttribute("role", "button");
  text?.replaceChildren(words, link);
}

/** Returns the part of the picture at an event that represents a source line. */
function partOf(event: Event): SVGElement | undefined {
  return (event.target as Element).closest<SVGElement>("[data-line]") ?? undefined;
}

/** Opens the line of a part, or the fixes of a finding at its sign or link. */
function choose(event: Event): void {
  const part = partOf(event);
  if (part && view.contains(part)) {
    const isFix = (event.target as Element).closest(".sign, .fix");
    send(isFix ? { fix: Number(part.dataset["start"]) } : { line: Number(part.dataset["line"]) });
  }
}

view.addEventListener("click", choose);
view.addEventListener("keydown", (event) => {
  if ((event.key === "Enter" || event.key === " ") && partOf(event)) {
    event.preventDefault();
    choose(event);
  }
});
view.addEventListener("focusin", (event) => {
  const part = partOf(event);
  if (part) {
    reveal(event.target as SVGElement);
    stopAt(event.target as SVGElement);
    focused = lineOf(part);
    link();
  }
});

/** Makes a part of the picture the one that Tab leads to; by default the op of the cursor, or the first one. */
function stopAt(part: Element | null): void {
  stop?.setAttribute("tabindex", "-1");
  const isPart = part instanceof SVGElement && layer?.contains(part);
  stop = isPart
    ? part
    : (layer?.querySelector<SVGElement>(":is(.box, .op).current") ??
      layer?.querySelector<SVGElement>(OPS) ??
      undefined);
  stop?.setAttribute("tabindex", "0");
}

/** The lines of the focused part and of the cursor. */
let focused: number | undefined;
let cursorLine: number | undefined;

/** The element under the pointer. */
let under: Element | undefined;
let resting: number | undefined;
/** The line and the lanes of the part on which the pointer rests. */
let hovered: number | null = null;
let lit = "";

function rest(): void {
  clearTimeout(resting);
  resting = setTimeout(follow, REST_MS);
}

/** Highlights the line and the lanes of the part on which the pointer rests. */
function follow(): void {
  resting = undefined;
  const part = under?.closest<SVGElement>("[data-line]");
  const hover = part ? lineOf(part) : null;
  if (hover !== hovered) {
    hovered = hover;
    send({ hover });
    link();
  }
  const lanes = under?.closest<SVGElement>("[data-lane]")?.dataset["lane"] ?? "";
  if (lanes !== lit) {
    lit = lanes;
    light(lanes);
  }
}

view.addEventListener("pointerover", (event) => {
  under = event.target as Element;
  const tipped = under.closest(`[${TIP}]`);
  if (tipped) {
    addTitle(tipped);
  }
  rest();
});
view.addEventListener("pointerleave", () => {
  under = undefined;
  rest();
});

/** Dims the parts on lanes other than `lanes` (numbers separated by blanks); the host's lane is never dimmed. */
function light(lanes: string): void {
  const wanted = lanes.split(" ").filter((lane) => lane !== "" && lane !== "0");
  for (const part of layer?.querySelectorAll<SVGElement>("[data-lane]") ?? []) {
    const own = (part.dataset["lane"] ?? "").split(" ").filter((lane) => lane !== "0");
    part.classList.toggle(
      "dimmed",
      wanted.length > 0 && own.length > 0 && !wanted.some((lane) => own.includes(lane)),
    );
  }
}

/** If there are many races, shows those of the ops under the pointer, with the focus, or at the cursor. */
function link(): void {
  const lines = new Set([hovered, focused, cursorLine].map(String));
  for (const race of layer?.querySelectorAll<SVGElement>(".race.many") ?? []) {
    const between = (race.dataset["between"] ?? "").split(" ");
    race.classList.toggle(
      "lit",
      between.some((line) => lines.has(line)),
    );
  }
}

function lineOf(part: SVGElement): number {
  return Number(part.dataset["line"]);
}

/** Marks the parts of the cursor's line, and scrolls to them if the cursor has moved there. */
function mark(cursor: number | undefined): void {
  const lastCursor = cursorLine;
  cursorLine = cursor;
  link();
  let first: SVGElement | undefined;
  for (const part of layer?.querySelectorAll<SVGElement>("[data-line]") ?? []) {
    const here = lineOf(part) === cursor;
    part.classList.toggle("current", here);
    first ??= here && part.matches(OPS) ? part : undefined;
  }
  if (first && cursor !== lastCursor) {
    reveal(first);
  }
}

/** Moves the picture so that `part` is visible. */
function reveal(part: SVGElement): void {
  const [inner, outer] = [part.getBoundingClientRect(), view.getBoundingClientRect()];
  const top = outer.top + heads.taken;
  const away = (low: number, high: number, from: number, to: number): number =>
    low < from ? from - low + 24 : high > to ? Math.max(to - high - 24, from - low + 24) : 0;
  let x = away(inner.left, inner.right, outer.left, outer.right);
  if (part.matches(".op")) {
    // A line of text is as wide as the picture: if its text begins in view, nothing moves.
    const begin = part.querySelector(".code")?.getBoundingClientRect().left ?? inner.left;
    x = begin > outer.left && begin < outer.right ? 0 : outer.left - inner.left;
  }
  const y = away(inner.top, inner.bottom, top, outer.bottom);
  if (x !== 0 || y !== 0) {
    const { k } = current();
    zooming.translateBy(area, x / k, y / k);
  }
}

/** Focuses the part to which a key leads; returns whether it is such a key. Without `from`, one begins at `stop`. */
function move(from: EventTarget | null, key: string): boolean {
  const [arrow, leap] = [ARROWS[key], LEAPS[key]];
  const part = from instanceof SVGElement ? from : undefined;
  if (leap !== undefined) {
    leapTo(part ?? stop, leap);
  } else if (arrow) {
    (part ? towards(part, arrow) : stop)?.focus();
  }
  return arrow !== undefined || leap !== undefined;
}

/** Focuses the op nearest to `by` heights of the view away from a part. */
function leapTo(from: SVGElement | undefined, by: number): void {
  const parts = [...(layer?.querySelectorAll<SVGElement>(OPS) ?? [])];
  const tops = parts.map((part) => part.getBoundingClientRect().top);
  const wanted = (from?.getBoundingClientRect().top ?? 0) + by * view.clientHeight;
  const within = Math.max(Math.min(...tops), Math.min(wanted, Math.max(...tops)));
  const away = tops.map((top) => Math.abs(top - within));
  parts[away.indexOf(Math.min(...away))]?.focus();
}

/** Returns the nearest part in a direction. */
function towards(from: SVGElement, [x, y]: [number, number]): SVGElement | undefined {
  const [fromX, fromY] = middle(from);
  let next: SVGElement | undefined;
  let nearest = Infinity;
  for (const part of layer?.querySelectorAll<SVGElement>("[tabindex]") ?? []) {
    const [toX, toY] = middle(part);
    const ahead = (toX - fromX) * x + (toY - fromY) * y;
    // The distance across the direction has more weight than along it, so that an arrow key stays on its stream, and
    // in a line of the compact picture.
    const weight = isCompact && x !== 0 ? 100 : 3;
    const distance = ahead + weight * Math.abs((toX - fromX) * y + (toY - fromY) * x);
    if (ahead > 1 && distance < nearest) {
      [next, nearest] = [part, distance];
    }
  }
  return next;
}

let hits: SVGElement[] = [];
let hit = 0;

/** Marks the parts that contain a text, and shows one: the first, or `by` parts after the present one. */
function find(text: string, by: number): void {
  const wanted = text.trim().toLowerCase();
  const parts = [...(layer?.querySelectorAll<SVGElement>(`${OPS}, .head`) ?? [])];
  hits = wanted ? parts.filter((part) => part.textContent.toLowerCase().includes(wanted)) : [];
  for (const part of parts) {
    part.classList.toggle("hit", hits.includes(part));
  }
  hit = by !== 0 && hits.length > 0 ? (hit + by + hits.length) % hits.length : 0;
  found.textContent = wanted ? (hits.length > 0 ? `${hit + 1} of ${hits.length}` : "none") : "";
  const shown = hits[hit];
  parts.forEach((part) => part.classList.toggle("now", part === shown));
  if (shown) {
    reveal(shown);
  }
}

onMessage((data) => {
  const message = data as StreamsMessage;
  if ("svg" in message) {
    show(message);
  } else if ("unreadable" in message) {
    view.classList.add("old");
    note.textContent = "The function cannot be parsed now; this is the previous picture.";
  } else if ("top" in message) {
    if (isCompact) {
      scrollTo(message.top);
    }
  } else {
    shownName = undefined;
    functions.replaceChildren();
    map.element.hidden = true;
    view.replaceChildren(element("p", message.error, "error"));
  }
});
send({ ready: true });
