/** How texts choose an LLVM release: the key `llvm` of a configuration file, and a comment in a source. */

/** Matches a comment that chooses a release; the groups are the text before the number, and the number. */
const COMMENT = /(\/\/[^\S\n]*gpuasync:[^\n]*?\bllvm[^\S\n]*=[^\S\n]*)(\d+)/;
const ONLY_RELEASE = /^\/\/\s*gpuasync:\s*llvm\s*=\s*\d+$/;

/** An edit that replaces a text from the offset `start` to `end`. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/** Returns the release that a comment of `source` chooses; it overrides every setting. */
export function commentedVersion(source: string): number | undefined {
  const number = COMMENT.exec(source)?.[2];
  return number === undefined ? undefined : Number(number);
}

/**
 * Returns the edit of `source` that writes, replaces or, for null, removes the comment; undefined if there is nothing
 * to remove. Throws an error with a message for the user if the comment to remove has more directives.
 */
export function commentEdit(source: string, llvm: number | null): TextEdit | undefined {
  const comment = COMMENT.exec(source);
  if (!comment) {
    // lit expects RUN lines first.
    const start = /^(?:\/\/ RUN:[^\n]*\n)*/.exec(source)?.[0].length ?? 0;
    return llvm === null ? undefined : { start, end: start, text: `// gpuasync: llvm=${llvm}\n` };
  }
  const [whole, before = ""] = comment;
  const end = comment.index + whole.length;
  if (llvm !== null) {
    return { start: comment.index + before.length, end, text: String(llvm) };
  }
  const [rest, blank = ""] = /^([^\S\r\n]*)(?:\r?\n|$)/.exec(source.slice(end)) ?? [];
  if (rest === undefined || !ONLY_RELEASE.test(whole)) {
    throw new Error("The comment sets more than the release: remove it by hand.");
  }
  const line = source.lastIndexOf("\n", comment.index) + 1;
  const code = source.slice(line, comment.index).trimEnd();
  return { start: line + code.length, end: end + (code ? blank : rest).length, text: "" };
}

/**
 * Returns a configuration file's `text` with the release replaced, or removed for null; the key precedes the first
 * table, as TOML requires.
 */
export function withVersion(text: string, llvm: number | null): string {
  const line = /^[ \t]*llvm[ \t]*=.*(?:\r?\n|$)/m;
  const table = /^[ \t]*\[/m.exec(text)?.index ?? text.length;
  const [keys, rest] = [text.slice(0, table), text.slice(table)];
  const written = llvm === null ? "" : `llvm = ${llvm}\n`;
  return line.test(keys) ? keys.replace(line, written) + rest : written + text;
}
