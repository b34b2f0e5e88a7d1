// A plain file server like `python -m http.server`, for tests and measurements.
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

export const BUILT = fileURLToPath(new URL("../../dist/playground/", import.meta.url));

const CHUNK = 65_536;
const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/**
 * Serves dist/playground at a free port; returns the address and a function that stops the server.
 *
 * `isCompressed` compresses the transfer; `bytesPerSecond` and `latency` simulate a network.
 */
export async function serve({ isCompressed = false, bytesPerSecond = Infinity, latency = 0 } = {}) {
  const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));
  const compressed = new Map();
  let busy = 0;
  const send = async (response, content) => {
    await sleep(latency);
    for (let at = 0; at < content.length; at += CHUNK) {
      const chunk = content.subarray(at, at + CHUNK);
      busy = Math.max(busy, performance.now()) + (1000 * chunk.length) / bytesPerSecond;
      await sleep(Math.max(0, busy - performance.now()));
      response.write(chunk);
    }
    response.end();
  };
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    const file = join(BUILT, path.endsWith("/") ? `${path}index.html` : path);
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const changed = statSync(file).mtime.toUTCString();
    if (request.headers["if-modified-since"] === changed) {
      response.writeHead(304).end();
      return;
    }
    const type = TYPES[extname(file)];
    let content = readFileSync(file);
    const headers = { "content-type": type ?? "application/octet-stream", "last-modified": changed };
    if (isCompressed && type) {
      headers["content-encoding"] = "gzip";
      content = compressed.get(file) ?? gzipSync(content);
      compressed.set(file, content);
    }
    response.writeHead(200, headers);
    void send(response, content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address: `http://127.0.0.1:${server.address().port}/`, stop };
}

/** Starts Chromium; the environment variable CHROMIUM replaces Debian's. */
export function browser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
