/** The page's side of a webview: messages to the extension, and pictures whose parts lead to the source. */

interface Host {
  postMessage(message: unknown): void;
}

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();

/** Sends a wish to the extension. */
export function send(wish: unknown): void {
  host.postMessage(wish);
}

/** Calls `show` with each message of the extension; what a message is, only the two sides know. */
export function onMessage(show: (message: unknown) => void): void {
  window.addEventListener("message", (event: MessageEvent<unknown>) => {
    show(event.data);
  });
}

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

/** An SVG whose parts with `data-line` lead to that line. */
export function picture(svg: string): HTMLElement {
  const figure = element("figure");
  figure.innerHTML = svg;
  for (const part of figure.querySelectorAll<SVGElement>("[data-line]")) {
    toLine(part, Number(part.dataset["line"]));
  }
  return figure;
}
