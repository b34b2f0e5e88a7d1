/**
 * Texts that this extension makes, as files that cannot be written. VS Code takes from a file that has changed the lines
 * that differ, whatever its size, so that what is in view, and folded, stays; a text of a `TextDocumentContentProvider`
 * above 100,000 characters it takes as a whole.
 */
import * as vscode from "vscode";

/** Gives the text of a file; undefined leaves it as it was. `token` is cancelled when it is outdated. */
type Give = (uri: vscode.Uri, token: vscode.CancellationToken) => Promise<string | undefined>;

export class VirtualFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  /** By the URI: what was given last, and how often it was outdated. */
  private readonly files = new Map<string, { content: Uint8Array; version: number }>();
  private readonly asked = new Map<string, vscode.CancellationTokenSource>();
  private readonly registration: vscode.Disposable;

  constructor(
    scheme: string,
    why: string,
    private readonly give: Give,
  ) {
    const isReadonly = new vscode.MarkdownString(why);
    this.registration = vscode.workspace.registerFileSystemProvider(scheme, this, { isReadonly });
  }

  /** Has the text of a file given anew. */
  refresh(uri: vscode.Uri): void {
    const key = uri.toString();
    this.asked.get(key)?.cancel();
    this.file(key).version++;
    this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  forget(uri: vscode.Uri): void {
    const key = uri.toString();
    this.asked.get(key)?.cancel();
    this.asked.delete(key);
    this.files.delete(key);
  }

  /** VS Code reads a file again only if it has another time. */
  stat(uri: vscode.Uri): vscode.FileStat {
    const { content, version } = this.file(uri.toString());
    return { type: vscode.FileType.File, ctime: 0, mtime: version, size: content.byteLength };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const key = uri.toString();
    const asked = new vscode.CancellationTokenSource();
    this.asked.set(key, asked);
    const text = await this.give(uri, asked.token);
    const file = this.file(key);
    if (text !== undefined) {
      file.content = Buffer.from(text);
    } else if (file.content.byteLength === 0 || asked.token.isCancellationRequested) {
      // What is there is not of this time: VS Code has to read again, whatever it takes this for.
      file.version++;
    }
    return file.content;
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
    vscode.Disposable.from(this.registration, this.changed).dispose();
  }

  private file(key: string): { content: Uint8Array; version: number } {
    const file = this.files.get(key) ?? { content: new Uint8Array(), version: Date.now() };
    this.files.set(key, file);
    return file;
  }
}
