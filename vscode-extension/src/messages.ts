/** The messages of the extension to its webviews: plain data. */

/**
 * `unreadable`: the function that is shown cannot be parsed now; `top`: the first visible line of the source (0-based).
 */
export type StreamsMessage = StreamsPicture | { unreadable: true } | { top: number } | { error: string };

export interface StreamsPicture {
  /** The URI of the file; undefined in the playground. */
  source?: string;
  svg: string;
  /** The function in the picture; `functions` has all functions of the file. */
  name?: string;
  functions: string[];
  fold: boolean;
  /** Whether the picture has narrow lanes and a line for each op, instead of boxes. */
  compact: boolean;
  /** The 0-based line of the cursor in the source. */
  cursor?: number;
  /** The editor's font size in pixels. */
  fontSize: number;
}

/** A location in the source; lines are 1-based, and 0 means unknown. */
export interface Place {
  start: number;
  end: number;
  line: number;
}

export interface RunFinding {
  name: string;
  level: "error" | "warning" | "information";
  place: Place;
  message: string;
  related: { place: Place; message: string }[];
}

export interface RunValue {
  name: string;
  type: string;
  /** Numbers in brackets; `...` stands for omitted ones. */
  preview: string;
  changed: boolean;
  /** For an array, with its first elements, row by row; a number that JSON lacks is a string. */
  shape?: number[];
  elements?: (number | string)[];
}

/** An array with which an array of the report is compared. */
export interface Compared {
  with: "previous" | "file";
  /** The array's name for the user. */
  label: string;
  shape: number[];
  elements: (number | string)[];
  /** The reason why the array cannot be compared; empty if it can. */
  error: string;
}

/** The contents of a run's page. */
export interface RunPage {
  /** The URI of the file. */
  source: string;
  form: RunForm;
  report: RunReport | null;
  /** The array with which each value is compared, by the value's name. */
  compared: Record<string, Compared>;
  hasPrevious: boolean;
}

export interface FormArgument {
  name: string;
  type: string;
  /** For a number that is used as a size: the value that agrees with the arrays. */
  size?: number;
  /** The value, as `gpuasync-lsp run --arg` accepts it. */
  value: string;
}

/** The form on a run's page: the function and its arguments. */
export interface RunForm {
  form: true;
  entry: string;
  device: "auto" | "cuda" | "cpu";
  arguments: FormArgument[];
  running: boolean;
  /** The current activity of the run; `line` is its 1-based line, or 0. */
  state: string;
  line: number;
  /** Whether the report belongs to an earlier run, because a run is in progress. */
  isOld: boolean;
  /** Whether the user has to fill in the form, which then gets the focus. */
  asks: boolean;
}

/** An operation of the timeline; times are in microseconds since the start. */
export interface RunOperation {
  label: string;
  lane: string;
  start: number;
  duration: number;
  place: Place;
  /** The bandwidth of a copy in GB/s; 0 for other operations. */
  bandwidth: number;
  /** The indices of the operations that streams and events order directly before this one. */
  after: number[];
}

export interface RunReport {
  uri: string;
  entry: string;
  device: string;
  outcome: "ok" | "findings" | "error" | "timeout" | "cancelled" | "crashed" | "refused";
  message: string;
  output: string;
  output_truncated: boolean;
  findings: RunFinding[];
  values: RunValue[];
  operations: RunOperation[];
  /** The location where the run ended early. */
  place: Place;
  seconds: number;
  /** The extra of the server's package that is required but not installed; empty for none. */
  lacks?: "run" | "cuda" | "";
  /** The timeline as a Chrome trace. */
  trace?: object;
}
