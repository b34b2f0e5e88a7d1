/** What the pages in webviews may send to the extension: the types of these messages, and checks of them. */

export type Check<T> = (value: unknown) => value is T;
type Checked<C> = C extends Check<infer T> ? T : never;

const yes: Check<true> = (value) => value === true;
const flag: Check<boolean> = (value) => typeof value === "boolean";
const text: Check<string> = (value) => typeof value === "string";
/** A line or an offset. */
const index: Check<number> = (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const none: Check<null> = (value) => value === null;

function oneOf<T extends string>(...all: T[]): Check<T> {
  return (value): value is T => all.some((each) => each === value);
}

function either<C extends Check<unknown>[]>(...checks: C): Check<Checked<C[number]>> {
  return (value): value is Checked<C[number]> => checks.some((check) => check(value));
}

function textsByName(value: unknown): value is Record<string, string> {
  return typeof value === "object" && value !== null && Object.values(value).every(text);
}

/** Checks for an object that has exactly these properties. */
function exactly<S extends Record<string, Check<unknown>>>(
  shape: S,
): Check<{ [K in keyof S]: Checked<S[K]> }> {
  return (value): value is { [K in keyof S]: Checked<S[K]> } =>
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).length === Object.keys(shape).length &&
    Object.entries(shape).every(([name, check]) => check((value as Record<string, unknown>)[name]));
}

/** A message of every page: the user chose a source line (0-based), or returns to the source. */
export const isPageWish = either(exactly({ line: index }), exactly({ leave: yes }));
export type PageWish = Checked<typeof isPageWish>;

/** A request of the streams explorer to the extension. */
export const isStreamsWish = either(
  exactly({ ready: yes }),
  exactly({ name: text }),
  exactly({ fold: flag }),
  exactly({ compact: flag }),
  /** The 0-based source line of the part under the pointer; null for none, since JSON has no undefined. */
  exactly({ hover: either(index, none) }),
  /** The position of a finding, in code points from the start of the source. */
  exactly({ fix: index }),
  /** A picture to save, as text or in base 64. */
  exactly({ save: text, kind: oneOf("svg", "png") }),
);
export type StreamsWish = Checked<typeof isStreamsWish>;

/** A request of a run's page to the extension. */
export const isRunWish = either(
  exactly({ ready: yes }),
  exactly({ run: exactly({ device: oneOf("auto", "cuda", "cpu"), args: textsByName }) }),
  exactly({ cancel: yes }),
  /** Compare a value of the report with the previous run's or a file's; an empty string ends the comparison. */
  exactly({ compare: text, with: oneOf("", "previous", "file") }),
  exactly({ browse: text, args: textsByName }),
  /** Save the timeline as a file. */
  exactly({ trace: yes }),
);
export type RunWish = Checked<typeof isRunWish>;
