/** Replaces VS Code's webview API: passes messages between the streams picture and the page around it. */
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
    event.stopImmediatePropagation(); // A message of another script in the page, such as a browser extension.
    return;
  }
  const { theme } = event.data as { theme?: string };
  if (theme !== undefined) {
    document.documentElement.dataset["theme"] = theme;
    document.body.className = theme; // The map of the picture is drawn again when this changes, as in VS Code.
    event.stopImmediatePropagation();
  }
});
