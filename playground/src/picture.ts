/**
 * The panel with the streams picture: a frame with the extension's page, for which this class replaces VS Code.
 */
import type { StreamsMessage } from "../../vscode-extension/src/messages";
import type { Streams } from "../../vscode-extension/src/protocol";
import type { PageWish, StreamsWish } from "../../vscode-extension/src/wishes";
import { DOCUMENT, offsetOf, type Program, rangeOf } from "./document";
import { link } from "./lowering";
import { byId, reasonOf } from "./shared";

export class Picture {
  private frame: HTMLIFrameElement | undefined;
  private name: string | undefined;
  private fold = false;
  private compact = true;
  private asked = 0;

  constructor(
    private readonly program: Program,
    private readonly toLine: (line: number) => void,
    private readonly offerFixes: () => void,
    private readonly theme: () => string,
  ) {
    window.addEventListener("message", (event: MessageEvent<PageWish | StreamsWish>) => {
      if (event.origin === location.origin && this.frame && event.source === this.frame.contentWindow) {
        this.grant(event.data);
      }
    });
  }

  /** Loads the page, which requests the picture when it is ready. */
  open(): void {
    if (!this.frame) {
      this.frame = document.createElement("iframe");
      this.frame.title = "Streams picture";
      this.frame.src = "streams.html";
      byId("streams").append(this.frame);
    }
  }

  /** Updates the picture: with `follow`, for the function at the cursor, otherwise for the function that is shown. */
  async refresh(follow: boolean): Promise<void> {
    if (!this.frame) {
      return;
    }
    const number = (this.asked += 1);
    try {
      const message = await this.picture(follow);
      if (message && number === this.asked) {
        this.post(message);
      }
    } catch (error) {
      this.post({ error: reasonOf(error) });
    }
  }

  /** Applies this page's theme colors to the frame. */
  recolor(): void {
    this.frame?.contentWindow?.postMessage({ theme: this.theme() }, location.origin);
  }

  private async picture(follow: boolean): Promise<StreamsMessage | undefined> {
    const { doc, selection } = this.program.view.state;
    const cursor = rangeOf(doc, selection.main.head, selection.main.head).start;
    const drawn = { textDocument: DOCUMENT, format: this.compact ? "compact-svg" : "svg", fold: this.fold };
    const ask = (where: object): Promise<Streams | undefined> =>
      this.program.ask<Streams>("gpuasync/streams", { ...drawn, ...where });
    let found = await ask({ position: cursor });
    if (found && (!follow || found.shown.length !== 1)) {
      const wanted = found.functions.includes(this.name ?? "") ? this.name : (found.shown[0] ?? found.functions[0]);
      if (wanted === undefined) {
        return { error: "There is no function with gpu ops yet." };
      }
      found = await ask({ function: wanted });
    }
    if (!found) {
      return undefined;
    }
    this.name = found.shown[0];
    return {
      svg: found.text,
      functions: found.functions,
      fold: this.fold,
      compact: this.compact,
      fontSize: 13,
      cursor: cursor.line,
      ...(this.name !== undefined && { name: this.name }),
    };
  }

  private post(message: StreamsMessage): void {
    this.frame?.contentWindow?.postMessage(message, location.origin);
  }

  private grant(wish: PageWish | StreamsWish): void {
    if ("ready" in wish) {
      this.recolor();
      void this.refresh(true);
    } else if ("line" in wish) {
      this.toLine(wish.line);
    } else if ("leave" in wish) {
      this.program.view.focus();
    } else if ("name" in wish) {
      this.name = wish.name;
      void this.refresh(false);
    } else if ("fold" in wish) {
      this.fold = wish.fold;
      void this.refresh(false);
    } else if ("compact" in wish) {
      this.compact = wish.compact;
      void this.refresh(false);
    } else if ("hover" in wish) {
      link(this.program.view, wish.hover === null ? [] : [wish.hover], false);
    } else if ("fix" in wish) {
      this.fix(wish.fix);
    } else {
      save(wish.save, wish.kind, this.name ?? "streams");
    }
  }

  /** Offers the fixes of the finding at `start`, an offset in code points. */
  private fix(start: number): void {
    const { view } = this.program;
    const before = Array.from(view.state.doc.toString()).slice(0, start).join("");
    const at = Math.min(before.length, offsetOf(view.state.doc, { line: view.state.doc.lines, character: 0 }));
    view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
    this.offerFixes();
  }
}

function save(content: string, kind: "svg" | "png", name: string): void {
  const bytes = kind === "png" ? Uint8Array.from(atob(content), (each) => each.charCodeAt(0)) : content;
  download(new Blob([bytes], { type: kind === "png" ? "image/png" : "image/svg+xml" }), `${name}.${kind}`);
}

export function download(content: Blob, name: string): void {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(content);
  anchor.download = name;
  anchor.click();
  setTimeout(() => {
    URL.revokeObjectURL(anchor.href);
  }, 1000);
}
