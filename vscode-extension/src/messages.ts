/** What the webviews are sent: plain data, known on both sides. */

export type StreamsMessage = { svg: string } | { error: string };

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
}

/** One op of the timeline, in microseconds since the start. */
export interface RunOperation {
  label: string;
  lane: string;
  start: number;
  duration: number;
  place: Place;
  /** GB/s of a copy, else 0. */
  bandwidth: number;
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
  seconds: number;
}
