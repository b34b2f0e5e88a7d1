/** Keeps the page for later visits, which work without a network; a new build replaces all of it. */
/** By the build: the files of the page, and a name made of their contents. */
declare const FILES: string[];
declare const BUILD: string;
/** The cache of python.ts. */
declare const MEMORY: string;

const worker = self as unknown as ServiceWorkerGlobalScope;

const NAME = `gpuasync-playground-${BUILD}`;

worker.addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(NAME);
      // Not what the browser keeps of an earlier build.
      await cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })));
      await worker.skipWaiting();
    })(),
  );
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) {
        if (name.startsWith("gpuasync-playground-") && name !== NAME && name !== MEMORY) {
          await caches.delete(name);
        }
      }
      await worker.clients.claim();
    })(),
  );
});

worker.addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && new URL(event.request.url).origin === location.origin) {
    event.respondWith(
      (async () => {
        const cache = await caches.open(NAME);
        return (await cache.match(event.request, { ignoreSearch: true })) ?? fetch(event.request);
      })(),
    );
  }
});
