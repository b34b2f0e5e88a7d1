/** The page's side of a webview: messages to the extension, and pictures whose parts lead to the source. */

interface Host {
  postMessage(message: unknown): void;
  /** The playground has no windows to reload. */
  setState?(state: unknown): void;
}

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();

/** Sends a wish to the extension. */
export function send(wish: unknown): void {
  host.postMessage(wish);
}

/** Keeps what the extension needs to bring this page back after a reload of the window. */
export function keep(state: object): void {
  host.setState?.(state);
}

/** Calls `show` with each message of the extension; what a message is, only the two sides know. */
export function onMessage(show: (message: unknown) => void): void {
  window.addEventListener("message", (event: MessageEvent<unknown>) => {
    show(event.data);
  });
}

// Escape goes back to the source, but for the first one in a search, which empties it.
window.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const empties = target instanceof HTMLInputElement && target.type === "search" && target.value !== "";
  if (key === "Escape" && !event.defaultPrevented && !empties) {
    send({ leave: true });
  }
});

/** The element that everything is put into. */
export function content(): HTMLElement {
  const found = document.getElementById("content");
  if (!found) {
    throw new Error("the page has no #content");
  }
  return found;
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  text = "",
  className = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

/** Makes `part` lead to a source line (from 0), by a click, or by Tab and Enter. */
export function toLine<E extends HTMLElement | SVGElement>(part: E, line: number): E {
  const choose = (): void => {
    host.postMessage({ line });
  };
  part.setAttribute("tabindex", "0");
  part.setAttribute("role", "link");
  part.addEventListener("click", choose);
  part.addEventListener("keydown", (event) => {
    if (event instanceof KeyboardEvent && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      choose();
    }
  });
  return part;
}

/** How far a turn of the wheel with Ctrl zooms: that of a mouse comes in large steps, two fingers' in small ones. */
export function wheelDelta(event: WheelEvent): number {
  const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1);
  return -pixels * (Math.abs(pixels) < 40 ? 0.02 : 0.003);
}
