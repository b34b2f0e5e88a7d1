/** The functions of a file that can be run, and their arguments, read from the text. */

export interface Argument {
  name: string;
  type: string;
}

export interface Entry {
  name: string;
  /** Line from 0. */
  line: number;
  arguments: Argument[];
}

const HEAD = /^[ \t]*(?:func\.func|llvm\.func)\s+(?:public\s+)?@([\w$.-]+)\s*\(/gm;

/** Every function with a body, in order. */
export function entries(text: string): Entry[] {
  return [...text.matchAll(HEAD)].flatMap((head) => {
    const open = head.index + head[0].length;
    const close = matching(text, open);
    const declaration = close === undefined || !/^[^\n]*\{[ \t]*(?:\/\/.*)?$/m.test(lineRest(text, close));
    return declaration
      ? []
      : [
          {
            name: head[1] ?? "",
            line: text.slice(0, head.index).split("\n").length - 1,
            arguments: splitTop(text.slice(open, close)).map(readArgument),
          },
        ];
  });
}

function lineRest(text: string, from: number): string {
  const end = text.indexOf("\n", from);
  return text.slice(from, end < 0 ? undefined : end);
}

/** The index of the parenthesis that closes the list beginning at `from`. */
function matching(text: string, from: number): number | undefined {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    depth += text[at] === "(" ? 1 : text[at] === ")" ? -1 : 0;
    if (depth === 0) {
      return at;
    }
  }
  return undefined;
}

/** Splits at the commas that are in no bracket. */
function splitTop(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= list.length; at++) {
    const char = list[at] ?? ",";
    if ("(<[{".includes(char)) {
      depth++;
    } else if (")]}".includes(char) || (char === ">" && list[at - 1] !== "-")) {
      depth--;
    } else if (char === "," && depth === 0) {
      parts.push(list.slice(start, at).trim());
      start = at + 1;
    }
  }
  return parts.filter(Boolean);
}

function readArgument(text: string): Argument {
  const colon = text.indexOf(":");
  const name = text.slice(0, colon).trim();
  const type = text.slice(colon + 1).replace(/\s*\{[^}]*\}\s*$/, "");
  return { name: name.replace(/^%/, ""), type: type.trim() };
}
