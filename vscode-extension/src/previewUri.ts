/** The URIs of previews, which have the source and the settings of a preview. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { Shown } from "./compare";
import { optionsOf } from "./options";
import { versionName } from "./versions";

export const SCHEME = "gpuasync-lowering";

/** The source and settings of a preview, encoded in its URI. */
export interface Target extends Shown {
  source: string;
}

/** Returns the source of a preview, and the release chosen for that preview; undefined for other documents. */
export function previewed(uri: vscode.Uri): { source: vscode.Uri; llvm?: number | undefined } | undefined {
  const target = uri.scheme === SCHEME ? parsed(uri) : undefined;
  return target && { source: vscode.Uri.parse(target.source), llvm: target.llvm ?? undefined };
}

/** Returns the target of a preview, or the default target of a source. */
export function targetAt(uri: vscode.Uri): Target {
  if (uri.scheme !== SCHEME) {
    return { source: uri.toString() };
  }
  const target = targetIn(uri);
  delete target.like; // The names of a comparison's other side belong to the comparison.
  return target;
}

/**
 * Returns the URI of a preview: the tab shows its path, whose ending determines the language; the query has the target.
 */
export function uriOf(target: Target): vscode.Uri {
  const name = path.posix.basename(vscode.Uri.parse(target.source).path, ".mlir");
  const what = [
    target.stage ?? "lowered",
    target.llvm && versionName(target.llvm),
    target.fixed && "fixed",
    optionsOf(target).length > 1 ? `${optionsOf(target).length} options` : target.options,
    target.engine,
    target.explain && "explained",
    target.foldDescriptors === false && "every op",
  ];
  const path_ = `/${name} (${what.filter(Boolean).join(", ")}).mlir`;
  return vscode.Uri.from({ scheme: SCHEME, path: path_, query: JSON.stringify(target) });
}

export function targetIn(uri: vscode.Uri): Target {
  const target = parsed(uri);
  if (!target) {
    throw new Error("This is not a preview.");
  }
  return target;
}

/** Returns the target in the URI of a preview; undefined for a URI that this extension did not create. */
export function parsed(uri: vscode.Uri): Target | undefined {
  try {
    const target = JSON.parse(uri.query) as Partial<Target> | null;
    return typeof target?.source === "string" ? (target as Target) : undefined;
  } catch {
    return undefined;
  }
}
