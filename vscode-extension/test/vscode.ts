/** The part of VS Code's API that the tested modules use; the tests are bundled with it in place of `vscode`. */

/** The user's settings, by their full names. */
export const settings = new Map<string, unknown>();
/** The APIs of installed extensions, by their names; a function's result is the API. */
export const installed = new Map<string, () => unknown>();
/** The handlers of registered commands. */
export const handlers = new Map<string, (...args: unknown[]) => unknown>();
/** The messages shown to the user. */
export const messages: string[] = [];
/** The commands that were executed, with their arguments. */
export const executed: unknown[][] = [];

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
}

export enum ProgressLocation {
  Notification = 15,
}

const none = (): Disposable => new Disposable(() => undefined);

export const workspace = {
  isTrusted: true,
  workspaceFolders: [{ uri: Uri.file("/workspace") }] as { uri: Uri }[] | undefined,
  getConfiguration: (section: string) => ({
    inspect: (name: string) => ({ globalValue: settings.get(`${section}.${name}`) }),
    get: (name: string) => settings.get(`${section}.${name}`),
    update: async (name: string, value: unknown) => {
      settings.set(`${section}.${name}`, value);
      return Promise.resolve();
    },
  }),
  asRelativePath: ({ path }: Uri) => path.replace(/^\/workspace\//, ""),
  openTextDocument: async (uri: Uri): Promise<{ uri: Uri }> =>
    Promise.reject(new Error(`cannot open ${uri.toString()}. Detail: nothing`)),
  registerFileSystemProvider: none,
};

export const env = { remoteName: undefined as string | undefined };

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

export const window = {
  activeTextEditor: undefined as { document: { uri: Uri; languageId: string } } | undefined,
  visibleTextEditors: [] as { document: { uri: Uri } }[],
  onDidChangeVisibleTextEditors: none,
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
  ): Promise<T> => task({ report: () => undefined }, new CancellationTokenSource().token),
};
