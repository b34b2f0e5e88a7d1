/** The requests and notifications of the server beyond LSP. Lines are 0-based. */
import { NotificationType, RequestType } from "vscode-languageclient/node";
import type { RunReport } from "./messages";

export interface LoweringParams {
  textDocument: { uri: string };
  llvm?: number | undefined;
  stage?: string | undefined;
  /** Options of gpu-to-llvm, in mlir-opt's syntax. */
  options?: string | undefined;
  /** Whether to add comments that explain the effect of each call on streams. */
  explain?: boolean | undefined;
  /** Whether each memref descriptor is one line, instead of the ops that build and read it. */
  foldDescriptors?: boolean | undefined;
  /** Lower the source after these fixes. */
  fixed?: Fixes | undefined;
  /** Lower with the user's own mlir-opt instead of the server. */
  engine?: "mlir-opt" | undefined;
  /** Name values as in the lowering with these parameters. */
  like?: Partial<LoweringParams> | undefined;
  /** Compare the output with that of the user's own mlir-opt. */
  compare?: boolean | undefined;
  /** The visible part of the source: for a large file, the answer may cover only this part. */
  range?: Range | undefined;
}

export interface Range {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

export type Fixes = "safe" | "unsafe";

export interface LoweringNote {
  message: string;
  /** Whether the note's problem stops the lowering. */
  error?: boolean;
  line?: number;
}

/** A finding of the source, at its lowered line. */
export interface LoweredFinding {
  line: number;
  source: number;
  code: string;
  /** The severity as in LSP: 1 is an error. */
  severity: number;
  message: string;
}

/** The first and last line of a fold, and its contents. */
export type Fold = [number, number, "kernels" | "declarations" | "function"];

export interface LoweringResult {
  text: string;
  /** Pairs of a source line and the lowered lines that come from it. */
  lineMap: [number, number[]][];
  notes?: LoweringNote[];
  findings?: LoweredFinding[];
  /** The names of streams; lanes.ts decodes them. */
  streams?: number[];
  folds?: Fold[];
  /** The number of lines that folding the descriptors has removed. */
  folded?: number;
  /** The differences from the output of the user's mlir-opt, as a bug report; empty if there are none. */
  report?: string;
  llvm?: number;
  stage?: string;
  /** The pipeline that was run, in mlir-opt's syntax. */
  pipeline?: string;
  /** Whether functions that are not visible are replaced with lines that say `not lowered yet`. */
  isPartial?: boolean;
  stages?: string[];
  stageDescriptions?: string[];
}

export const lowering = new RequestType<LoweringParams, LoweringResult, void>("gpuasync/lowering");

export interface StreamsParams {
  textDocument: { uri: string };
  function?: string | undefined;
  position?: { line: number; character: number };
  /** Whether equivalent streams are drawn as one. */
  fold?: boolean;
  format: "svg" | "compact-svg" | "json" | "text";
}

export interface Streams {
  text: string;
  /** All functions of the file. */
  functions: string[];
  /** The functions in the text. */
  shown: string[];
}

/** In an SVG, elements that represent a source line contain its number in `data-line`. */
export const streams = new RequestType<StreamsParams, Streams, void>("gpuasync/streams");

export interface PassesParams {
  textDocument: { uri: string };
  function?: string;
}

export interface PassFinding {
  code: string;
  message: string;
  line: number;
}

export interface PassRun {
  name: string;
  scope: string;
  /** Whether the pass changed the IR; null if the dump does not show it. */
  changed: boolean | null;
  failed: boolean;
  /** Whether other output interrupts the printed IR. */
  torn: boolean;
  line: number;
  /** The line of the section with which the result is compared. */
  before: number | null;
  /** A description of the pass's effect. */
  what: string;
  begin: PassFinding[];
  end: PassFinding[];
}

export interface PassesResult {
  passes: PassRun[];
  summary: string;
}

export const passes = new RequestType<PassesParams, PassesResult, void>("gpuasync/passes");

export interface PassDifferenceParams extends PassesParams {
  before: number | null;
  after: number;
}

export const passDifference = new RequestType<PassDifferenceParams, { before: string; after: string }, void>(
  "gpuasync/passDifference",
);

export interface TargetParams {
  textDocument: { uri: string };
}

/** The LLVM release that a document targets, and a description of its origin. */
export interface Target {
  llvm: number;
  origin: string;
  /** The default pipeline of previews. */
  pipeline?: OwnPipeline;
}

export interface OwnPipeline {
  stage: string;
  /** The pipeline in mlir-opt's syntax; empty for the stage without changes. */
  text: string;
  origin: string;
  /** The reason why the RUN line is ignored; empty if it is not. */
  unused: string;
}

export const target = new RequestType<TargetParams, Target, void>("gpuasync/target");

export interface RunArguments {
  uri: string;
  device: Device;
  entry?: string;
  /** How to initialize each argument, as `gpuasync-lsp run --arg` accepts it: `3`, `iota@8x16`, `random:7`, `a.npy`. */
  args?: Record<string, string>;
  /** Whether to time every op, for the timeline. */
  profile?: boolean;
  /** Whether to return whole arrays, and to report the progress of the run. */
  elements?: boolean;
  /** Whether to return the timeline as a Chrome trace. */
  trace?: boolean;
}

export type Device = "auto" | "cuda" | "cpu";

export interface TestArguments {
  uri: string;
  /** The 1-based line of a single RUN line to run. */
  line?: number;
}

export interface TestResult {
  verdict: "pass" | "fail" | "xfail" | "xpass" | "unsupported" | "unresolved";
  /** The report as human-readable text. */
  text: string;
}

export interface UpdateResult {
  updated: boolean;
  /** The result as a sentence for the user. */
  message: string;
}

/** The current activity of a run; lines are 1-based, and 0 means none. */
export interface RunState {
  uri: string;
  entry: string;
  text: string;
  line: number;
}

export const runProgress = new NotificationType<RunState>("gpuasync/runProgress");
export const runFinished = new NotificationType<RunReport>("gpuasync/runFinished");
