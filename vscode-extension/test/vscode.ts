/** The part of VS Code's API that the tested modules use; the tests are bundled with it in place of `vscode`. */
import { posix } from "node:path";

/** The user's settings, by their full names. */
export const settings = new Map<string, unknown>();
/** The settings of the workspace, and of the folder of the document. */
export const workspaceSettings = new Map<string, unknown>();
export const folderSettings = new Map<string, unknown>();
/** The APIs of installed extensions, by their names; a function's result is the API. */
export const installed = new Map<string, () => unknown>();
/** The handlers of registered commands. */
export const handlers = new Map<string, (...args: unknown[]) => unknown>();
/** The messages shown to the user. */
export const messages: string[] = [];
/** The commands that were executed, with their arguments. */
export const executed: unknown[][] = [];
/** The labels that the user picks from lists, one after the other; a list without a pick is cancelled. */
export const picks: string[] = [];
/** The choices of the last list. */
export const offered: { label: string; description?: string; detail?: string }[] = [];
/** The panels that were created. */
export const panels: Panel[] = [];

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
    readonly query: string,
  ) {}

  static from({ scheme, path = "", query = "" }: { scheme: string; path?: string; query?: string }): Uri {
    return new Uri(scheme, path, query);
  }

  static file(path: string): Uri {
    return new Uri("file", path, "");
  }

  static parse(text: string): Uri {
    const [, scheme = "", path = "", query = ""] =
      /^([\w.+-]+):(?:\/\/)?([^?]*)(?:\?(.*))?$/s.exec(text) ?? [];
    return new Uri(scheme, decodeURIComponent(path), decodeURIComponent(query));
  }

  static joinPath(uri: Uri, ...parts: string[]): Uri {
    return new Uri(uri.scheme, posix.join(uri.path, ...parts), uri.query);
  }

  with({ path }: { path: string }): Uri {
    return new Uri(this.scheme, path, this.query);
  }

  get fsPath(): string {
    return this.path;
  }

  toString(): string {
    const query = this.query && `?${encodeURIComponent(this.query)}`;
    return `${this.scheme}:${this.scheme === "file" ? "//" : ""}${encodeURI(this.path)}${query}`;
  }
}

export class Disposable {
  constructor(readonly dispose: () => void) {}

  static from(...all: { dispose(): void }[]): Disposable {
    return new Disposable(() => {
      all.forEach((each) => {
        each.dispose();
      });
    });
  }
}

export class EventEmitter<T> {
  private readonly listeners = new Set<(value: T) => void>();

  readonly event = (listener: (value: T) => void): Disposable => {
    this.listeners.add(listener);
    return new Disposable(() => this.listeners.delete(listener));
  };

  fire(value: T): void {
    this.listeners.forEach((listen) => {
      listen(value);
    });
  }

  dispose(): void {
    this.listeners.clear();
  }
}

export class CancellationTokenSource {
  private readonly emitter = new EventEmitter<undefined>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.emitter.event };

  cancel(): void {
    this.token.isCancellationRequested = true;
    this.emitter.fire(undefined);
  }

  dispose(): void {
    this.emitter.dispose();
  }
}

export class CodeLens {
  constructor(
    readonly range: unknown,
    readonly command: { title: string; command: string },
  ) {}
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(...[line, character, endLine, endCharacter]: number[]) {
    this.start = new Position(line ?? 0, character ?? 0);
    this.end = new Position(endLine ?? 0, endCharacter ?? 0);
  }
}

export class Selection {
  constructor(readonly active: Position) {}
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

export class TabInputText {
  constructor(readonly uri: Uri) {}
}

export enum FoldingRangeKind {
  Imports = 2,
}

export enum OverviewRulerLane {
  Center = 2,
}

export enum DecorationRangeBehavior {
  ClosedClosed = 1,
}

export enum ViewColumn {
  Beside = -2,
}

export enum DiagnosticSeverity {
  Error = 0,
}

export enum StatusBarAlignment {
  Right = 2,
}

export enum TextEditorRevealType {
  InCenterIfOutsideViewport = 2,
}

/** A webview with a page; `received` is what the extension has sent to it, and `says` sends to the extension. */
export class Panel {
  title = "";
  visible = true;
  isDisposed = false;
  readonly received: unknown[] = [];
  private readonly messages = new EventEmitter<unknown>();
  private readonly disposed = new EventEmitter<undefined>();
  readonly onDidDispose = this.disposed.event;
  readonly onDidChangeViewState = none;
  readonly webview = {
    html: "",
    cspSource: "",
    options: {},
    asWebviewUri: (uri: Uri): Uri => uri,
    onDidReceiveMessage: this.messages.event,
    postMessage: async (message: unknown): Promise<boolean> => {
      this.received.push(message);
      return Promise.resolve(true);
    },
  };

  reveal(): void {
    this.visible = true;
  }

  /** Sends a message as VS Code does: as JSON. */
  says(message: unknown): void {
    this.messages.fire(JSON.parse(JSON.stringify(message)));
  }

  dispose(): void {
    this.isDisposed = true;
    this.disposed.fire(undefined);
  }
}

export class MarkdownString {
  constructor(readonly value: string) {}
}

export class FileSystemError extends Error {
  static FileNotFound(uri: Uri): FileSystemError {
    return new FileSystemError(`not found: ${uri.toString()}`);
  }

  static NoPermissions(uri: Uri): FileSystemError {
    return new FileSystemError(`not permitted: ${uri.toString()}`);
  }
}

export enum FileType {
  File = 1,
}

export enum FileChangeType {
  Changed = 1,
}

export enum ConfigurationTarget {
  Global = 1,
  Workspace = 2,
  WorkspaceFolder = 3,
}

const stores = {
  [ConfigurationTarget.Global]: settings,
  [ConfigurationTarget.Workspace]: workspaceSettings,
  [ConfigurationTarget.WorkspaceFolder]: folderSettings,
};

export enum ProgressLocation {
  Notification = 15,
}

const none = (): Disposable => new Disposable(() => undefined);

interface Document {
  uri: Uri;
  languageId: string;
  isClosed?: boolean;
  getText?: () => string;
}

/** The events that tests fire. */
export const events = {
  trusted: new EventEmitter<undefined>(),
  configured: new EventEmitter<{ affectsConfiguration: (name: string) => boolean }>(),
  renamed: new EventEmitter<{ files: { oldUri: Uri; newUri: Uri }[] }>(),
  closed: new EventEmitter<{ uri: Uri; getText: () => string }>(),
  activated: new EventEmitter<{ document: Document } | undefined>(),
};

export const workspace = {
  isTrusted: true,
  workspaceFile: undefined as Uri | undefined,
  workspaceFolders: [{ uri: Uri.file("/workspace") }] as { uri: Uri }[] | undefined,
  textDocuments: [] as Document[],
  getConfiguration: (section: string) => ({
    inspect: (name: string) => ({
      globalValue: settings.get(`${section}.${name}`),
      workspaceValue: workspaceSettings.get(`${section}.${name}`),
      workspaceFolderValue: folderSettings.get(`${section}.${name}`),
    }),
    get: (name: string, otherwise?: unknown) => settings.get(`${section}.${name}`) ?? otherwise,
    update: async (
      name: string,
      value: unknown,
      target: ConfigurationTarget = ConfigurationTarget.Global,
    ): Promise<void> => {
      stores[target].set(`${section}.${name}`, value);
      return Promise.resolve();
    },
  }),
  getWorkspaceFolder: ({ path }: Uri) =>
    workspace.workspaceFolders?.find(({ uri }) => path.startsWith(`${uri.path}/`)),
  asRelativePath: ({ path }: Uri) => path.replace(/^\/workspace\//, ""),
  openTextDocument: async (uri: Uri): Promise<Document> => {
    const found = workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
    return found ?? Promise.reject(new Error(`cannot open ${uri.toString()}. Detail: nothing`));
  },
  registerFileSystemProvider: none,
  registerTextDocumentContentProvider: none,
  onDidGrantWorkspaceTrust: events.trusted.event,
  onDidChangeConfiguration: events.configured.event,
  onDidRenameFiles: events.renamed.event,
  onDidCloseTextDocument: events.closed.event,
  onDidChangeTextDocument: none,
  onDidOpenTextDocument: none,
};

export const env = { remoteName: undefined as string | undefined };

export const languages = {
  getDiagnostics: () => [],
  onDidChangeDiagnostics: none,
  registerCodeLensProvider: none,
  registerFoldingRangeProvider: none,
};

export const extensions = {
  getExtension: (name: string) => {
    const activate = installed.get(name);
    return activate && { isActive: true, activate: async () => Promise.resolve(activate()) };
  },
};

export const commands = {
  registerCommand: (name: string, handler: (...args: unknown[]) => unknown): Disposable => {
    handlers.set(name, handler);
    return none();
  },
  executeCommand: async (...command: unknown[]): Promise<void> => {
    executed.push(command);
    return Promise.resolve();
  },
};

/** The tree view that was created last. */
export const tree = { message: "", reveal: async () => Promise.resolve(), dispose: () => undefined };

export const window = {
  activeTextEditor: undefined as { document: Document } | undefined,
  visibleTextEditors: [] as { document: Document }[],
  tabGroups: {
    all: [] as { viewColumn: number; tabs: { input: TabInputText; group: { viewColumn: number } }[] }[],
    activeTabGroup: { activeTab: {} as object | undefined },
    close: async () => Promise.resolve(true),
    onDidChangeTabs: none,
    onDidChangeTabGroups: none,
  },
  onDidChangeActiveTextEditor: events.activated.event,
  onDidChangeTextEditorSelection: none,
  onDidChangeTextEditorVisibleRanges: none,
  onDidChangeVisibleTextEditors: none,
  createOutputChannel: () => log,
  createStatusBarItem: () => ({ hide: () => undefined, show: () => undefined, dispose: () => undefined }),
  createTextEditorDecorationType: none,
  createTreeView: () => tree,
  showTextDocument: async (document: Document) => Promise.resolve({ document }),
  registerWebviewPanelSerializer: none,
  createWebviewPanel: (_: string, title: string): Panel => {
    const panel = new Panel();
    panel.title = title;
    panels.push(panel);
    return panel;
  },
  /** Picks the next of `picks`. */
  createQuickPick: () => {
    const [accepted, hidden] = [new EventEmitter<undefined>(), new EventEmitter<undefined>()];
    const list = {
      items: [] as typeof offered,
      selectedItems: [] as typeof offered,
      onDidAccept: accepted.event,
      onDidHide: hidden.event,
      hide: () => {
        hidden.fire(undefined);
      },
      dispose: () => undefined,
      show: () => {
        offered.splice(0, offered.length, ...list.items);
        const label = picks.shift();
        list.selectedItems = list.items.filter((each) => each.label === label);
        (list.selectedItems.length > 0 ? accepted : hidden).fire(undefined);
      },
    };
    return list;
  },
  showQuickPick: async <T>(choices: T[]): Promise<T | undefined> => Promise.resolve(choices[0]),
  showErrorMessage: async (message: string): Promise<undefined> => {
    messages.push(message);
    return Promise.resolve(undefined);
  },
  /** Chooses the first button. */
  showWarningMessage: async (message: string, ...buttons: string[]): Promise<string | undefined> => {
    messages.push(message);
    return Promise.resolve(buttons[0]);
  },
  setStatusBarMessage: (message: string): Disposable => {
    messages.push(message);
    return none();
  },
  withProgress: async <T>(
    _: unknown,
    task: (progress: { report(): void }, token: CancellationTokenSource["token"]) => Promise<T>,
  ): Promise<T> => {
    cancellable.source = new CancellationTokenSource();
    return task({ report: () => undefined }, cancellable.source.token);
  },
};

/** The progress that was shown last, which tests cancel. */
export const cancellable = { source: new CancellationTokenSource() };

/** The warnings of the extension's log. */
export const warnings: string[] = [];
export const log = {
  debug: () => undefined,
  info: () => undefined,
  error: () => undefined,
  show: () => undefined,
  dispose: () => undefined,
  warn: (message: string) => {
    warnings.push(message);
  },
};
