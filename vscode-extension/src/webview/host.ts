/** The webview's side of the connection: messages to the extension, and parts of pictures that link to the source. */

import type { PageWish, RunWish, StreamsWish } from "../wishes";

interface Host {
  postMessage(message: unknown): void;
  /** Undefined in the playground, which has no windows to reload. */
  setState?(state: unknown): void;
}

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();

/** Sends a request to the extension. */
export function send(wish: PageWish | StreamsWish | RunWish): void {
  host.postMessage(wish);
}

/** Stores the state with which the extension restores this page after a reload of the window. */
export function keep(state: object): void {
  host.setState?.(state);
}

/** Calls `show` with each message of the extension; the caller determines the message's type. */
export function onMessage(show: (message: unknown) => void): void {
  window.addEventListener("message", (event: MessageEvent<unknown>) => {
    show(event.data);
  });
}

// Escape returns to the source; in a non-empty search field it first clears the field.
window.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const empties = target instanceof HTMLInputElement && target.type === "search" && target.value !== "";
  if (key === "Escape" && !event.defaultPrevented && !empties) {
    send({ leave: true });
  }
});

// VS Code gives the focus back to the page, not to what had it. A click sets the focus itself.
let last: EventTarget | null = null;
let isPressed = false;
document.addEventListener("focusin", ({ target }) => {
  last = target;
});
for (const [name, pressed] of [
  ["pointerdown", true],
  ["pointerup", false],
  ["pointercancel", false],
] as const) {
  window.addEventListener(
    name,
    () => {
      isPressed = pressed;
    },
    true,
  );
}
window.addEventListener("focus", () => {
  const isLost = document.activeElement === document.body && !isPressed;
  if (isLost && (last instanceof HTMLElement || last instanceof SVGElement) && last.isConnected) {
    last.focus({ preventScroll: true });
  }
});

/** Returns the element that contains the page. */
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

/** Makes `part` a link to a 0-based source line, for the mouse and the keyboard. */
export function toLine<E extends HTMLElement | SVGElement>(part: E, line: number): E {
  const choose = (): void => {
    send({ line });
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

/** Returns the zoom factor of a wheel event with Ctrl: large steps for a mouse, small steps for a touchpad. */
export function wheelDelta(event: WheelEvent): number {
  const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1);
  return -pixels * (Math.abs(pixels) < 40 ? 0.02 : 0.003);
}
