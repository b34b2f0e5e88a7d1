import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";

const GRAMMAR = "syntaxes/mlir.tmLanguage.json";

async function load(): Promise<textmate.IGrammar> {
  const wasm = createRequire(`${process.cwd()}/`).resolve("vscode-oniguruma/release/onig.wasm");
  await oniguruma.loadWASM(await readFile(wasm));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(await readFile(GRAMMAR, "utf8"), GRAMMAR),
  });
  const grammar = await registry.loadGrammar("source.mlir");
  assert.ok(grammar);
  return grammar;
}

const grammar = load();

/** Returns the innermost scope of each word of a line. */
async function scopes(line: string): Promise<Map<string, string>> {
  const { tokens } = (await grammar).tokenizeLine(line, textmate.INITIAL);
  return new Map(
    tokens.map(({ startIndex, endIndex, scopes }) => [
      line.slice(startIndex, endIndex).trim(),
      scopes.at(-1)?.replace(/\.mlir$/, "") ?? "",
    ]),
  );
}

const CASES: [string, Record<string, string>][] = [
  [
    "    %7 = gpu.memcpy async [%2, %asyncToken_1] %1, %m#1 : memref<?x4xf32>, memref<4xi8, 1>",
    {
      "%7": "variable.other",
      gpu: "support.class.dialect.gpu",
      memcpy: "keyword.control.operation.gpu",
      async: "storage.modifier.async",
      "%asyncToken_1": "variable.other",
      "%m#1": "variable.other",
      memref: "support.type.shaped",
      "?x4x": "constant.numeric.dimension",
      f32: "support.type.builtin",
      i8: "support.type.builtin",
    },
  ],
  [
    "  func.func @main(%arg0: !gpu.async.token) -> index attributes {llvm.emit_c_interface} { // gpuasync: llvm=19",
    {
      func: "keyword.other.operation",
      "@main": "entity.name.function",
      "!gpu.async.token": "support.type.token",
      index: "support.type.builtin",
      attributes: "keyword.other",
      "gpuasync:": "keyword.other.directive",
    },
  ],
  [
    '  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, "\\50\\0A">]',
    {
      "@kernels": "entity.name.function",
      "#gpu.object": "support.constant.attribute",
      "\\50": "constant.character.escape",
    },
  ],
  [
    "  cf.cond_br %c, ^bb1(%a : i32), ^bb2",
    { cond_br: "keyword.other.operation", "^bb1": "entity.name.label" },
  ],
  ["  %c = arith.constant -1.5e-3 : bf16", { "-1.5e-3": "constant.numeric", bf16: "support.type.builtin" }],
];

for (const [line, expected] of CASES) {
  test(`scopes of ${line.trim()}`, async () => {
    const found = await scopes(line);
    for (const [word, scope] of Object.entries(expected)) {
      assert.equal(found.get(word), scope, `${word} in ${JSON.stringify([...found])}`);
    }
  });
}

test("a dump of passes is MLIR by its first line, whatever the name of its file", async () => {
  const { contributes } = JSON.parse(await readFile("package.json", "utf8")) as {
    contributes: { languages: { firstLine: string }[] };
  };
  const firstLine = new RegExp(contributes.languages[0]?.firstLine ?? "");
  const [example = ""] = (await readFile("../examples/dumps/two_streams.txt", "utf8")).split("\n");
  for (const line of [
    example,
    "// -----// IR Dump After GpuToLLVMConversionPass Failed (gpu-to-llvm) ('builtin.module' operation) //----- //",
    "stderr: // -----// IR Dump Before CSE (cse) //----- //",
  ]) {
    assert.match(line, firstLine);
  }
  for (const line of ["", "// IR Dump of the day", "*** IR Dump After Loop Vectorizer ***"]) {
    assert.doesNotMatch(line, firstLine);
  }
});
