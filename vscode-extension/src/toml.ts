/** The key `llvm` of a configuration file. */

/** The text with another release, or none: of the keys in front of the first table, as TOML has them. */
export function withVersion(text: string, llvm: number | null): string {
  const line = /^[ \t]*llvm[ \t]*=.*(?:\r?\n|$)/m;
  const table = /^[ \t]*\[/m.exec(text)?.index ?? text.length;
  const [keys, rest] = [text.slice(0, table), text.slice(table)];
  const written = llvm === null ? "" : `llvm = ${llvm}\n`;
  return line.test(keys) ? keys.replace(line, written) + rest : written + text;
}
