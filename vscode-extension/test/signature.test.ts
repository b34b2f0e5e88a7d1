import assert from "node:assert/strict";
import { test } from "node:test";
import { entries } from "../src/signature";

const SOURCE = `module {
  func.func private @printMemrefF32(memref<*xf32>)
  func.func @main() {
    return
  }
  func.func @scale(%n: index, %a: memref<?xf32, strided<[1], offset: ?>> {llvm.noalias},
                   %f: (i32, i32) -> i32) -> (f32, f32) attributes {llvm.emit_c_interface} {
    return
  }
}`;

test("functions with a body, with their places", () => {
  assert.deepEqual(
    entries(SOURCE).map(({ name, line }) => [name, line]),
    [
      ["main", 2],
      ["scale", 5],
    ],
  );
});

test("arguments are cut at top-level commas, without their attributes", () => {
  assert.deepEqual(entries(SOURCE)[1]?.arguments, [
    { name: "n", type: "index" },
    { name: "a", type: "memref<?xf32, strided<[1], offset: ?>>" },
    { name: "f", type: "(i32, i32) -> i32" },
  ]);
});

test("a list that does not end is no function", () => {
  assert.deepEqual(entries("func.func @broken(%a: i32"), []);
});

/** Returns the sizes of the arguments of a function with this body. */
function sizes(args: string, body: string): Record<string, number | undefined> {
  const [entry] = entries(`func.func @main(${args}) {\n${body}\n  return\n}\n`);
  return Object.fromEntries((entry?.arguments ?? []).map(({ name, size }) => [name, size] as const));
}

test("numbers that are sizes have the extent of the arrays", () => {
  const launch =
    "  gpu.launch_func @k::@f blocks in (%b, %c1, %c1) threads in (%c1, %c1, %c1) args(%n : index)";
  const blocks = `  %b = arith.ceildivui %n, %c256 : index\n${launch}`;
  assert.deepEqual(sizes("%n: index, %a: f32, %x: memref<?xf32>", blocks), {
    n: 16,
    a: undefined,
    x: undefined,
  });
  assert.equal(sizes("%n: index, %x: memref<1024xf32>", blocks)["n"], 1024);
  assert.equal(sizes("%n: index", "  %m, %t = gpu.alloc async [%s] (%n) : memref<?xf32>")["n"], 16);
  assert.equal(
    sizes("%n: i32", "  %m = arith.index_cast %n : i32 to index\n  %x = memref.alloc(%m) : memref<?xf32>")[
      "n"
    ],
    16,
  );
  assert.equal(sizes("%n: index", "  scf.for %i = %c0 to %n step %c1 {\n  }")["n"], 16);
  assert.equal(sizes("%n: index", "  %x = arith.addi %n, %n : index")["n"], undefined);
  assert.equal(
    sizes(
      "%n: index, %k: index",
      "  %x = memref.alloc(%n) : memref<?xf32>\n  memref.store %v, %x[%k] : memref<?xf32>",
    )["k"],
    undefined,
  );
});

test("what another function does with a name says nothing", () => {
  const other = "func.func @b(%n: index) {\n  %x = memref.alloc(%n) : memref<?xf32>\n  return\n}\n";
  const [first] = entries(`func.func @a(%n: index) {\n  return\n}\n${other}`);
  assert.equal(first?.arguments[0]?.size, undefined);
});
