/** What the server answers beyond LSP. Lines count from 0. */
import { NotificationType, RequestType } from "vscode-languageclient/node";
import type { RunReport } from "./messages";

export interface LoweringParams {
  textDocument: { uri: string };
  llvm?: number | undefined;
  stage?: string | undefined;
  /** Of gpu-to-llvm, as mlir-opt takes them. */
  options?: string | undefined;
  /** Comments that say what the calls do with streams. */
  explain?: boolean | undefined;
  /** A line for each memref descriptor, instead of the ops that build and read it. */
  foldDescriptors?: boolean | undefined;
  /** The lowering after these fixes. */
  fixed?: Fixes | undefined;
  /** The user's own mlir-opt instead of the server. */
  engine?: "mlir-opt" | undefined;
  /** The values are called as in the lowering with these parameters. */
  like?: Partial<LoweringParams> | undefined;
  /** Compare with the user's own mlir-opt. */
  compare?: boolean | undefined;
  /** The visible part of the source: if the whole takes long, the answer may cover this part only. */
  range?: Range | undefined;
}

export interface Range {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

export type Fixes = "safe" | "unsafe";

export interface LoweringNote {
  message: string;
  /** Whether the lowering ends with it. */
  error?: boolean;
  line?: number;
}

/** A finding at the lowered line that it is about. */
export interface LoweredFinding {
  line: number;
  source: number;
  code: string;
  /** As in LSP, from 1 for errors. */
  severity: number;
  message: string;
}

/** The first and the last line, and what they are. */
export type Fold = [number, number, "kernels" | "declarations" | "function"];

export interface LoweringResult {
  text: string;
  /** Pairs of a source line and the lowered lines that come from it. */
  lineMap: [number, number[]][];
  notes?: LoweringNote[];
  findings?: LoweredFinding[];
  /** The names that stand for streams, see lanes.ts. */
  streams?: number[];
  folds?: Fold[];
  /** How many lines others stand for, since descriptors are folded. */
  folded?: number;
  /** How the output differs from that of the user's mlir-opt, to be reported; empty if it does not. */
  report?: string;
  llvm?: number;
  stage?: string;
  /** What was run, in mlir-opt's syntax. */
  pipeline?: string;
  /** Whether functions out of sight are lines that say that they are not lowered yet. */
  isPartial?: boolean;
  stages?: string[];
  stageDescriptions?: string[];
}

export const lowering = new RequestType<LoweringParams, LoweringResult, void>("gpuasync/lowering");

export interface StreamsParams {
  textDocument: { uri: string };
  function?: string | undefined;
  position?: { line: number; character: number };
  /** Whether streams that are alike are drawn as one. */
  fold?: boolean;
  format: "svg" | "compact-svg" | "json" | "text";
}

export interface Streams {
  text: string;
  /** All that the file has. */
  functions: string[];
  /** Those that are in the text. */
  shown: string[];
}

/** An SVG's elements carry `data-line`, the source line that they stand for. */
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
  /** Null where the dump does not say. */
  changed: boolean | null;
  failed: boolean;
  /** Something else was printed into it. */
  torn: boolean;
  line: number;
  /** The line of the section that it is compared with. */
  before: number | null;
  /** What it did, in words. */
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

/** The LLVM release that a document is meant for, and who said so, in words. */
export interface Target {
  llvm: number;
  origin: string;
  /** What a preview shows where no stage was chosen. */
  pipeline?: OwnPipeline;
}

export interface OwnPipeline {
  stage: string;
  /** In mlir-opt's syntax; empty for the stage as it is. */
  text: string;
  origin: string;
  /** Why a RUN line is not followed. */
  unused: string;
}

export const target = new RequestType<TargetParams, Target, void>("gpuasync/target");

export interface RunArguments {
  uri: string;
  device: Device;
  entry?: string;
  /** How each argument is made, as `gpuasync-lsp run --arg` takes it: `3`, `iota@8x16`, `random:7`, `a.npy`. */
  args?: Record<string, string>;
  /** Time every op, for the timeline. */
  profile?: boolean;
  /** Arrays in full, and what the run is at meanwhile. */
  elements?: boolean;
  /** The timeline as a Chrome trace, too. */
  trace?: boolean;
}

export type Device = "auto" | "cuda" | "cpu";

export interface TestArguments {
  uri: string;
  /** Of one RUN line, counted from 1. */
  line?: number;
}

export interface TestResult {
  verdict: "pass" | "fail" | "xfail" | "xpass" | "unsupported" | "unresolved";
  /** For people. */
  text: string;
}

export interface UpdateResult {
  updated: boolean;
  /** For people. */
  message: string;
}

/** What a run is at; line 0 for none, the first is 1. */
export interface RunState {
  uri: string;
  entry: string;
  text: string;
  line: number;
}

export const runProgress = new NotificationType<RunState>("gpuasync/runProgress");
export const runFinished = new NotificationType<RunReport>("gpuasync/runFinished");
