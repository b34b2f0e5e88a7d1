/** What the webviews are sent: plain data, known on both sides. */

/** `unreadable`: the function that is shown cannot be read now; `top`: the first line of the source, from 0, that is in sight. */
export type StreamsMessage = StreamsPicture | { unreadable: true } | { top: number } | { error: string };

export interface StreamsPicture {
  /** The URI of the file; the playground has none. */
  source?: string;
  svg: string;
  /** The function that it shows, and all functions of the file. */
  name?: string;
  functions: string[];
  fold: boolean;
  /** A line for each op and narrow lanes, or boxes. */
  compact: boolean;
  /** The line of the cursor in the source, from 0. */
  cursor?: number;
  /** Of the editor, in pixels. */
  fontSize: number;
}

/** What the streams explorer asks of the extension. */
export type StreamsWish =
  | { ready: true }
  | { name: string }
  | { fold: boolean }
  | { compact: boolean }
  /** The line of the source, from 0, that the pointer is at in the picture. */
  | { hover: number | undefined }
  /** The place of a finding, in code points from the start of the source. */
  | { fix: number }
  /** A picture to be saved: text, or base 64. */
  | { save: string; kind: "svg" | "png" };

/** A place in the source; line 0 where it is not known, the first line is 1. */
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
  /** Numbers in brackets, `...` where some are left out. */
  preview: string;
  changed: boolean;
  /** Of an array: its first elements, row by row; what JSON has no number for is text. */
  shape?: number[];
  elements?: (number | string)[];
}

/** An array that one of a report is compared with. */
export interface Compared {
  with: "previous" | "file";
  /** What it is called. */
  label: string;
  shape: number[];
  elements: (number | string)[];
  /** Why it cannot be compared, or nothing. */
  error: string;
}

/** What the page of a run shows. */
export interface RunPage {
  /** The URI of the file. */
  source: string;
  form: RunForm;
  report: RunReport | null;
  /** By the name of the value; and whether there was a run of this function before. */
  compared: Record<string, Compared>;
  hasPrevious: boolean;
}

export interface FormArgument {
  name: string;
  type: string;
  /** Of a number that is a size: what agrees with the arrays. */
  size?: number;
  /** As `gpuasync-lsp run --arg` takes it. */
  value: string;
}

/** What is run, or could be: the part of the page above the report. */
export interface RunForm {
  form: true;
  entry: string;
  device: "auto" | "cuda" | "cpu";
  arguments: FormArgument[];
  running: boolean;
  /** What the run is at, and the line, from 1, or 0. */
  state: string;
  line: number;
  /** What is in the report is not of these arguments. */
  isOld: boolean;
  /** The user has to fill it in, and so is led to it. */
  asks: boolean;
}

/** What the page of a run asks of the extension. */
export type RunWish =
  | { ready: true }
  | { run: { device: "auto" | "cuda" | "cpu"; args: Record<string, string> } }
  | { cancel: true }
  /** Compares a value of the report. */
  | { compare: string; with: "" | "previous" | "file" }
  | { browse: string; args: Record<string, string> }
  /** The timeline as a file. */
  | { trace: true };

/** One op of the timeline, in microseconds since the start. */
export interface RunOperation {
  label: string;
  lane: string;
  start: number;
  duration: number;
  place: Place;
  /** GB/s of a copy, else 0. */
  bandwidth: number;
  /** Places in the list of those that streams and events order directly before it. */
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
  /** Where it ended early. */
  place: Place;
  seconds: number;
  /** What is not installed and would be needed: an extra of the server's package. */
  lacks?: "run" | "cuda" | "";
  /** The timeline as a Chrome trace. */
  trace?: object;
}
