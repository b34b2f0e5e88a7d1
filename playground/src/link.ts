/**
 * A link that contains a program: `#v1/` and, in base 64 for URLs, the deflated JSON of `[text, llvm, stage, tab]`.
 *
 * A link is untrusted input: a link that is too large or malformed is rejected as a whole.
 */
import { MOST, type Shown, type Tab, TABS } from "./shared";

const PREFIX = "#v1/";
/** The maximum number of characters of a fragment that are decoded, and of bytes of the decompressed program. */
const MOST_PACKED = 400_000;
const MOST_UNPACKED = 1_000_000;

export class BadLink extends Error {}

export async function toFragment(shown: Shown): Promise<string> {
  const json = JSON.stringify([shown.text, shown.llvm, shown.stage, shown.tab]);
  const packed = new Blob([json]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let binary = "";
  for (const byte of bytes) {
    binary += String.fromCharCode(byte);
  }
  return PREFIX + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns the program in a fragment; undefined if the fragment has a different format. Throws BadLink. */
export async function fromFragment(fragment: string): Promise<Shown | undefined> {
  if (!fragment.startsWith(PREFIX)) {
    return undefined;
  }
  if (fragment.length > MOST_PACKED) {
    throw new BadLink("it is too long");
  }
  let value: unknown;
  try {
    const binary = atob(fragment.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    value = JSON.parse(await unpacked(Uint8Array.from(binary, (character) => character.charCodeAt(0))));
  } catch (error) {
    throw error instanceof BadLink ? error : new BadLink("it is damaged");
  }
  return checked(value);
}

async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) {
      return text + decoder.decode();
    }
    size += value.length;
    if (size > MOST_UNPACKED) {
      await reader.cancel();
      throw new BadLink("its program is too large");
    }
    text += decoder.decode(value, { stream: true });
  }
}

function checked(value: unknown): Shown {
  const [text, llvm, stage, tab] = Array.isArray(value) ? (value as unknown[]) : [];
  if (typeof text === "string" && text.length > MOST) {
    throw new BadLink("its program is too large");
  }
  if (
    typeof text !== "string" ||
    !Number.isInteger(llvm) ||
    typeof stage !== "string" ||
    !/^[\w-]{0,64}$/.test(stage) ||
    !TABS.includes(tab as Tab)
  ) {
    throw new BadLink("it contains no program");
  }
  return { text, llvm: llvm as number, stage, tab: tab as Tab };
}
