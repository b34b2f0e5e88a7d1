/** Caches the page for later visits, which then work without a network; a new build replaces the whole cache. */
/** The files of the page, and a name derived from their contents; defined by the build. */
declare const FILES: string[];
declare const BUILD: string;
/** The name of the cache that python.ts uses. */
declare const MEMORY: string;

const worker = self as unknown as ServiceWorkerGlobalScope;

const NAME = `gpuasync-playground-${BUILD}`;

worker.addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(NAME);
      // Bypass the browser's cache, which may contain files of an earlier build.
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
