/**
 * Read-only files that this extension generates.
 *
 * After a change to a file, VS Code replaces only the lines that differ, so the scroll position and folds are kept. A
 * text of a `TextDocumentContentProvider` of more than 100,000 characters it replaces as a whole.
 *
 * A file is requested when it becomes visible, once at a time. If it changes in the meantime, it is requested again
 * before VS Code gets a text, so VS Code never shows an outdated text.
 */
import * as vscode from "vscode";

/** Returns the text of a file; undefined if it has become outdated, which also cancels `token`. */
type Give = (uri: vscode.Uri, token: vscode.CancellationToken) => Promise<string | undefined>;

/** A text is requested after this time without changes, so that fast typing does not wait for requests. */
const QUIET_MS = 100;

interface File {
  content: Uint8Array;
  /** Whether `content` is up to date. */
  isCurrent: boolean;
  /** Whether `content` is a correct but partial text, and the rest is pending. */
  goesOn?: boolean;
  /** The time of the last change. */
  changed: number;
  /** The modification time reported to VS Code, which increases with each change. */
  version: number;
  /** The read in progress. */
  reading?: Promise<Uint8Array>;
  asked?: vscode.CancellationTokenSource;
  /** Callbacks to call when the read ends. */
  awaiting: (() => void)[];
}

export class VirtualFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  /** The files that are open or being opened, by URI. */
  private readonly files = new Map<string, File>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    scheme: string,
    why: string,
    private readonly give: Give,
    /** Returns whether this extension created a URI. */
    private readonly isOurs: (uri: vscode.Uri) => boolean,
  ) {
    const isReadonly = new vscode.MarkdownString(why);
    this.subscriptions = [
      vscode.workspace.registerFileSystemProvider(scheme, this, { isReadonly }),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const { document } of editors) {
          this.retry(document.uri);
        }
      }),
    ];
  }

  /** The files that are open, and those that are being opened. */
  get known(): vscode.Uri[] {
    return [...this.files.keys()].map((uri) => vscode.Uri.parse(uri));
  }

  /** Requests the text of a file again: at once, or when it becomes visible. */
  refresh(uri: vscode.Uri): void {
    const file = this.files.get(uri.toString());
    if (file) {
      file.isCurrent = false;
      file.goesOn = false;
      file.changed = performance.now();
      file.asked?.cancel();
      this.retry(uri);
    }
  }

  /** Requests the rest of a file whose partial text VS Code has. */
  goOn(uri: vscode.Uri): void {
    const file = this.files.get(uri.toString());
    if (file?.isCurrent) {
      file.isCurrent = false;
      file.goesOn = true;
      this.retry(uri);
    }
  }

  /** Makes VS Code read a visible file, unless VS Code has the newest text or is waiting for it. */
  retry(uri: vscode.Uri): void {
    const file = this.files.get(uri.toString());
    if (file && isSeen(uri)) {
      this.tell(uri, file);
    }
  }

  /** Waits until VS Code has the newest text of an open file, or a part, so that it shows no older text. */
  async current(uri: vscode.Uri): Promise<void> {
    const file = this.files.get(uri.toString());
    if (file && !file.isCurrent && !file.goesOn) {
      const given = new Promise<void>((resume) => file.awaiting.push(resume));
      this.tell(uri, file);
      await given;
    }
  }

  forget(uri: vscode.Uri): void {
    const key = uri.toString();
    const asked = this.files.get(key)?.asked;
    this.files.delete(key);
    asked?.cancel();
  }

  /** Returns the state of a file: VS Code reads it again if its time has changed, which changes with the text. */
  stat(uri: vscode.Uri): vscode.FileStat {
    if (!this.isOurs(uri)) {
      throw vscode.FileSystemError.FileNotFound(uri); // VS Code searches for folders and settings next to an opened file
    }
    const file = this.file(uri);
    if (!file.isCurrent) {
      file.version++;
    }
    return { type: vscode.FileType.File, ctime: 0, mtime: file.version, size: 0 };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    if (!this.isOurs(uri)) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    const file = this.file(uri);
    file.reading ??= this.read(uri, file).finally(() => {
      delete file.reading;
      file.awaiting.splice(0).forEach((resume) => {
        resume();
      });
    });
    return file.reading;
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.changed).dispose();
  }

  private tell(uri: vscode.Uri, file: File): void {
    if (!file.isCurrent && !file.reading) {
      this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    }
  }

  private async read(uri: vscode.Uri, file: File): Promise<Uint8Array> {
    while (!file.isCurrent && this.files.get(uri.toString()) === file) {
      await quiet(file);
      const asked = (file.asked = new vscode.CancellationTokenSource());
      try {
        const text = await this.give(uri, asked.token);
        if (asked.token.isCancellationRequested) {
          continue;
        }
        if (text === undefined) {
          break;
        }
        file.content = Buffer.from(text);
        file.isCurrent = true;
        file.goesOn = false;
      } finally {
        delete file.asked;
        asked.dispose();
      }
    }
    return file.content;
  }

  private file(uri: vscode.Uri): File {
    const key = uri.toString();
    const file = this.files.get(key) ?? {
      content: new Uint8Array(),
      isCurrent: false,
      changed: Number.NEGATIVE_INFINITY,
      version: Date.now(),
      awaiting: [],
    };
    this.files.set(key, file);
    return file;
  }
}

export function isSeen(uri: vscode.Uri): boolean {
  const key = uri.toString();
  return vscode.window.visibleTextEditors.some(({ document }) => document.uri.toString() === key);
}

/** Waits until a file has not changed for `QUIET_MS`. */
async function quiet(file: File): Promise<void> {
  for (let left: number; (left = file.changed + QUIET_MS - performance.now()) > 0;) {
    await new Promise((resume) => setTimeout(resume, left));
  }
}
