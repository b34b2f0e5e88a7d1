/** What the server answers beyond LSP. Lines count from 0. */
import { NotificationType, RequestType } from "vscode-languageclient/node";
import type { RunReport } from "./messages";

export interface LoweringParams {
  textDocument: { uri: string };
  llvm?: number;
  stage?: string;
}

export interface LoweringNote {
  message: string;
  line?: number;
}

export interface LoweringResult {
  text: string;
  /** Pairs of a source line and the lowered lines that come from it. */
  lineMap: [number, number[]][];
  notes?: LoweringNote[];
  llvm?: number;
  stage?: string;
  stages?: string[];
}

export const lowering = new RequestType<LoweringParams, LoweringResult, void>("gpuasync/lowering");

export interface StreamsParams {
  textDocument: { uri: string };
  function?: string;
  format: "svg" | "json" | "text";
}

/** An SVG's elements carry `data-line`, the source line that they stand for. */
export const streams = new RequestType<StreamsParams, { text: string }, void>("gpuasync/streams");

export interface TargetParams {
  textDocument: { uri: string };
}

/** The LLVM release that a document is meant for, and who said so, in words. */
export interface Target {
  llvm: number;
  origin: string;
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
}

export type Device = "auto" | "cuda" | "cpu";

export const runFinished = new NotificationType<RunReport>("gpuasync/runFinished");
