/** Syntax highlighting before the server is ready, and MLIR's comments and brackets. */
import { HighlightStyle, StreamLanguage, type StringStream, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

interface State {
  /** Whether the line so far has only results, so that an op's name follows. */
  begins: boolean;
}

const NAME = String.raw`[A-Za-z_$][\w$.-]*`;
const TOKENS: [RegExp, string][] = [
  [/^\/\/.*/, "comment"],
  [/^"(?:[^"\\]|\\.)*"?/, "string"],
  [new RegExp(`^%(?:\\d+|${NAME})(?:#\\d+)?`), "variableName"],
  [new RegExp(`^@(?:${NAME}|"(?:[^"\\\\]|\\\\.)*")`), "definition"],
  [new RegExp(`^\\^(?:\\d+|${NAME})`), "labelName"],
  [new RegExp(`^!(?:${NAME})?`), "typeName"],
  [new RegExp(`^#(?:${NAME})?`), "attributeName"],
  [/^-?(?:0x[0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)(?![\w])/, "number"],
  [/^(?:[su]?i\d+|b?f\d+\w*|tf32|index|none|memref|tensor|vector|complex|tuple)\b/, "typeName"],
  [
    /^(?:async|attributes|blocks|threads|clusters|in|to|into|step|iter_args|then|else|do|loc|private|public|nested|dense|true|false|unit|args|kernel|dynamic_shared_memory_size|host_shared|from|affine_map|affine_set|strided|offset)\b/,
    "keyword",
  ],
];

function token(stream: StringStream, state: State): string | null {
  if (stream.sol()) {
    state.begins = true;
  }
  if (stream.eatSpace()) {
    return null;
  }
  for (const [pattern, tag] of TOKENS) {
    if (tag !== "keyword" && tag !== "typeName" && stream.match(pattern)) {
      state.begins = tag === "variableName" && state.begins;
      return tag;
    }
  }
  if (state.begins && stream.match(/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/)) {
    state.begins = false;
    return "keyword";
  }
  for (const [pattern, tag] of TOKENS) {
    if ((tag === "keyword" || tag === "typeName") && stream.match(pattern)) {
      state.begins = false;
      return tag;
    }
  }
  if (stream.match(/^[A-Za-z_$][\w$.]*/)) {
    state.begins = false;
    return null;
  }
  const next = stream.next();
  // An op's name may follow these: `%a, %b = op`, `%a:2 = op`, `{ op`.
  state.begins = (next === "=" || next === "{" || next === "}") || (state.begins && (next === "," || next === ":"));
  return next === "(" || next === ")" || next === "{" || next === "}" ? "bracket" : null;
}

export const mlir = StreamLanguage.define<State>({
  name: "mlir",
  startState: () => ({ begins: true }),
  token,
  tokenTable: { definition: tags.definition(tags.name) },
  languageData: {
    commentTokens: { line: "//" },
    closeBrackets: { brackets: ["(", "[", "{", "<", '"'] },
    wordChars: "%@^#!$.-",
  },
});

const colors = HighlightStyle.define([
  { tag: tags.comment, color: "var(--comment)" },
  { tag: tags.string, color: "var(--string)" },
  { tag: tags.number, color: "var(--number)" },
  { tag: tags.keyword, color: "var(--keyword)" },
  { tag: tags.typeName, color: "var(--type)" },
  { tag: tags.attributeName, color: "var(--label)" },
  { tag: tags.labelName, color: "var(--label)" },
  { tag: tags.definition(tags.name), color: "var(--symbol)" },
  { tag: tags.variableName, color: "var(--value)" },
]);

const theme = EditorView.theme({
  "&": {
    color: "var(--vscode-editor-foreground)",
    backgroundColor: "var(--vscode-editor-background)",
    fontSize: "var(--vscode-editor-font-size)",
  },
  ".cm-scroller": { fontFamily: "var(--vscode-editor-font-family)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--vscode-editor-foreground)" },
  ".cm-cursor": { borderLeftColor: "var(--vscode-editor-foreground)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  ".cm-gutters": {
    color: "var(--vscode-descriptionForeground)",
    backgroundColor: "var(--vscode-editor-background)",
    border: "none",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--line)" },
  ".cm-tooltip, .cm-panels": {
    color: "var(--vscode-editor-foreground)",
    backgroundColor: "var(--vscode-editor-background)",
    border: "1px solid var(--vscode-editorWidget-border)",
  },
  ".cm-tooltip": { maxWidth: "min(44rem, 90vw)", maxHeight: "24rem", overflow: "auto" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    color: "var(--vscode-button-foreground)",
    backgroundColor: "var(--vscode-button-background)",
  },
  ".cm-tooltip code, .cm-tooltip pre": { fontFamily: "var(--vscode-editor-font-family)", whiteSpace: "pre-wrap" },
  ".cm-diagnostic": { whiteSpace: "pre-line" },
  ".cm-diagnosticAction": {
    color: "var(--vscode-button-foreground)",
    backgroundColor: "var(--vscode-button-background)",
  },
  ".cm-button, .cm-textfield": {
    color: "inherit",
    background: "var(--vscode-button-secondaryBackground)",
    border: "1px solid var(--vscode-editorWidget-border)",
  },
});

/** The editor extensions for the language and its colors. */
export const looks: Extension = [mlir, syntaxHighlighting(colors), theme];
