/** The page around the extension's streams picture takes the place of VS Code. */
interface Host {
  postMessage(message: unknown): void;
}

export {};

declare global {
  var acquireVsCodeApi: () => Host;
}

globalThis.acquireVsCodeApi = () => ({
  postMessage(message) {
    window.parent.postMessage(message, location.origin);
  },
});

window.addEventListener("message", (event) => {
  if (event.origin !== location.origin || event.source !== window.parent) {
    event.stopImmediatePropagation();
    return;
  }
  if (typeof event.data !== "object") {
    event.stopImmediatePropagation(); // from another script of the page, such as an extension of the browser
    return;
  }
  const { theme } = event.data as { theme?: string };
  if (theme !== undefined) {
    document.documentElement.dataset["theme"] = theme;
    event.stopImmediatePropagation();
  }
});
