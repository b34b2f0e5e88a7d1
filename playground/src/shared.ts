/** A program and its presentation: the contents of a link. */
export interface Shown {
  text: string;
  /** The LLVM release; 0 for the newest release that the server knows. */
  llvm: number;
  /** The stage of the lowering; empty for the file's own. */
  stage: string;
  tab: Tab;
}

/** The maximum number of characters of a program that the page accepts. */
export const MOST = 300_000;

export const TABS = ["lowering", "streams", "explain", "run"] as const;
export type Tab = (typeof TABS)[number];

/** The facts of the package that the build writes into `facts.json`. */
export interface Facts {
  releases: number[];
  newest: number;
  examples: { name: string; title: string; text: string }[];
  /** Maps each rule's code to its name, and to a program, a release (0 for the newest) and settings that trigger it. */
  rules: Record<string, { name: string; text: string; llvm: number; settings: object }>;
  version: string;
}

/** Messages between the page and its worker, besides the messages of LSP, which are strings. */
export type WorkerEvent = { step: string } | { failed: string };

declare const FACTS: Facts; // defined by the build
export const facts = FACTS;

/** Returns the message of an exception, or of an error that the server sent, which is a plain object. */
export function reasonOf(error: unknown): string {
  const { message } = Object(error) as { message?: unknown };
  return typeof message === "string" ? message : String(error);
}

/** The element with that id in index.html. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- a cast, in one place
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (!found) {
    throw new Error(`the page has no #${id}`);
  }
  return found as E;
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

export function button(text: string, act: () => void): HTMLButtonElement {
  const made = element("button", text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}
