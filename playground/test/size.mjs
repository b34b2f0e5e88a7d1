// Prints the bytes of dist/playground, each file compressed as a server would.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { BUILT } from "./serve.mjs";

const files = readdirSync(BUILT, { recursive: true }).map((name) => BUILT + name);
const sizes = files.filter((file) => statSync(file).isFile()).map((file) => gzipSync(readFileSync(file)).length);
console.log(sizes.reduce((sum, size) => sum + size, 0));
