/** Finds the functions of a file that can be run, and their arguments, in the text. */

export interface Argument {
  name: string;
  type: string;
  /** For a number that is used as a size: the extent of the function's arrays, so that both agree. */
  size?: number;
}

export interface Entry {
  name: string;
  /** The 0-based line. */
  line: number;
  arguments: Argument[];
}

const HEAD = /^[ \t]*(?:func\.func|llvm\.func)\s+(?:public\s+)?@([\w$.-]+)\s*\(/gm;

/** The extent used for a dynamic dimension. */
export const OPEN_EXTENT = 16;

/** Returns every function with a body, in order. */
export function entries(text: string): Entry[] {
  const heads = [...text.matchAll(HEAD)];
  return heads.flatMap((head, number) => {
    const open = head.index + head[0].length;
    const close = matching(text, open);
    const declaration = close === undefined || !/^[^\n]*\{[ \t]*(?:\/\/.*)?$/m.test(lineRest(text, close));
    return declaration
      ? []
      : [
          {
            name: head[1] ?? "",
            line: text.slice(0, head.index).split("\n").length - 1,
            arguments: sized(
              splitTop(text.slice(open, close)).map(readArgument),
              text.slice(close, heads[number + 1]?.index),
            ),
          },
        ];
  });
}

function lineRest(text: string, from: number): string {
  const end = text.indexOf("\n", from);
  return text.slice(from, end < 0 ? undefined : end);
}

/** Returns the index of the parenthesis that closes the list beginning at `from`. */
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

/** Splits a list at the commas outside of brackets. */
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

/** Ops whose operand is a size if the result is one: casts, and arithmetic such as for the number of blocks. */
const HANDED_ON =
  /(%[\w$.-]+) *= *(?:arith\.(?:index_castu?|ext[su]i|trunci|addi|subi|muli|ceildiv[su]i|floordivsi|div[su]i|m(?:ax|in)[su]i)|affine\.apply|index\.\w+)([^\n]*)/g;
/** Ops with sizes as operands: allocations, launches, loops (the upper bounds) and views. */
const SIZES = [
  /\balloca?\b[^\n:]*\(([^()\n]*)\)/g,
  /\b(?:blocks|threads|clusters) *(?:\([^()]*\))? *in *\(([^()]*)\)/g,
  /\bto *\(?([^\n{]*?)\)? *step\b/g,
  /\baffine\.for\b[^\n]*\bto *([^\n{]*)/g,
  /\b(?:subview|reinterpret_cast|view)\b([^\n:]*)/g,
];

/** Returns the arguments, with a `size` for the numbers that are sizes. */
function sized(args: Argument[], body: string): Argument[] {
  const numbers = args.filter(({ type }) => /^(?:index|i\d+)$/.test(type));
  const names = (text: string): string[] => [...text.matchAll(/%[\w$.-]+/g)].map(([name]) => name.slice(1));
  const used = new Set(
    SIZES.flatMap((place) => [...body.matchAll(place)].flatMap(([, of]) => names(of ?? ""))),
  );
  // Walk backwards, from uses to operands: a value is defined above its uses.
  for (const [, result, operands] of [...body.matchAll(HANDED_ON)].reverse()) {
    if (result && used.has(result.slice(1))) {
      names(operands ?? "").forEach((name) => used.add(name));
    }
  }
  const extents = args.map(({ type }) => /^(?:memref|tensor|vector)<(\?|\d+)x/.exec(type)?.[1] ?? "");
  const given = extents.includes("?") ? undefined : extents.find((extent) => extent !== "");
  const size = given === undefined ? OPEN_EXTENT : Number(given);
  return args.map((each) => (numbers.includes(each) && used.has(each.name) ? { ...each, size } : each));
}
