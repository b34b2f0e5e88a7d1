/** The key `llvm` of a configuration file. */

/**
 * Returns `text` with the release replaced, or removed for null; the key precedes the first table, as TOML requires.
 */
export function withVersion(text: string, llvm: number | null): string {
  const line = /^[ \t]*llvm[ \t]*=.*(?:\r?\n|$)/m;
  const table = /^[ \t]*\[/m.exec(text)?.index ?? text.length;
  const [keys, rest] = [text.slice(0, table), text.slice(table)];
  const written = llvm === null ? "" : `llvm = ${llvm}\n`;
  return line.test(keys) ? keys.replace(line, written) + rest : written + text;
}
