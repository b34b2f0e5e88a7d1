/** The language server: its process, and all requests to it. */
import * as vscode from "vscode";
import {
  DocumentDiagnosticRequest,
  State,
  type LanguageClient,
  type LanguageClientOptions,
  type NotificationType,
  type RequestType,
} from "vscode-languageclient/node";
import { Client } from "./client";
import type { EarlyServer } from "./early";
import { opensSetting, sentence } from "./errors";
import { coexistence, diagnosticsOnce, onTheirDiagnostics } from "./coexist";
import { folderCheck } from "./folderCheck";
import { findServer, ownVersion, type Found } from "./find";
import { onDidSelectPython, ownSetting } from "./python";
import { Serial } from "./serial";

type CommandHandler = (...args: unknown[]) => unknown;

export class Server implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel("GPU Async", { log: true });
  private readonly running = new vscode.EventEmitter<boolean>();
  /** Fires with true when the server is ready, and with false when it has stopped. */
  readonly onRunning = this.running.event;
  private readonly analyzed = new vscode.EventEmitter<vscode.Uri>();
  /**
   * Fires when the server has analyzed a document, after an edit or a change of the settings or a configuration file.
   */
  readonly onAnalyzed = this.analyzed.event;
  private client: LanguageClient | undefined;
  private found: Found | undefined;
  /** Starts and restarts servers, one at a time; a server that hangs or is starting only delays the next start. */
  private readonly restarts = new Serial(async () => {
    this.starts = true;
    try {
      await this.stop();
      await this.begin();
    } finally {
      this.starts = false;
      if (!this.isRunning) {
        this.running.fire(false);
      }
    }
  });
  private starts = false;
  private readonly commands = new Map<string, CommandHandler>();
  /** The handlers by method; a client keeps only one handler per method. */
  private readonly notifications = new Map<string, ((params: unknown) => void)[]>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly early: EarlyServer,
  ) {
    this.subscriptions = [
      vscode.commands.registerCommand("gpuasync.restart", () => this.restart()),
      vscode.commands.registerCommand("gpuasync.showLog", () => {
        this.log.show();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.restart()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        // A server receives the paths of programs only when it starts.
        const programs = ["serverPath", "python", "mlirOpt", "run.command"].map((name) => `gpuasync.${name}`);
        if (programs.some((name) => event.affectsConfiguration(name))) {
          void this.restart();
        }
      }),
      onDidSelectPython(() => {
        // The selected interpreter matters only if no setting names a server or a Python.
        if (!ownSetting("serverPath") && !ownSetting("python")) {
          void this.restart();
        }
      }),
      onTheirDiagnostics((uri) => {
        this.pull(uri);
      }),
    ];
  }

  /** Requests the diagnostics of a document again. */
  private pull(uri: vscode.Uri): void {
    const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
    if (document && this.client) {
      const feature = this.client.getFeature(DocumentDiagnosticRequest.method);
      feature.getProvider(document)?.onDidChangeDiagnosticsEmitter.fire();
    }
  }

  get isRunning(): boolean {
    return this.client?.state === State.Running;
  }

  /** Whether the bundled server runs. */
  get isBundled(): boolean {
    return this.found?.kind === "bundled";
  }

  /** Whether a start is in progress; finding a Python may take longer than starting the server. */
  get isStarting(): boolean {
    return this.starts || this.client?.state === State.Starting;
  }

  /** Stops the server, if it runs, and starts it again. Errors are shown, never thrown. */
  restart(): Promise<void> {
    return this.restarts.run();
  }

  /** Finds and starts the server; if that fails, shows the reason and what to do. */
  private async begin(): Promise<void> {
    let found: Found;
    try {
      found = await findServer(this.context, this.log);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.log.warn(problem);
      void this.offerSettings(problem);
      return;
    }
    this.found = found;
    this.log.info(`starting ${[found.command, ...found.args].join(" ")} (${found.where})`);
    const client = new Client(
      { command: found.command, args: found.args, options: { shell: false } },
      this.options(),
      await this.early.take(found),
    );
    client.onDidChangeState(({ newState }) => {
      if (this.client === client) {
        this.running.fire(newState === State.Running);
      }
    });
    for (const [method, handlers] of this.notifications) {
      client.onNotification(method, (params: unknown) => {
        for (const handle of handlers) {
          handle(params);
        }
      });
    }
    this.client = client;
    try {
      await client.start();
      void this.compareVersions(found, client.initializeResult?.serverInfo);
    } catch (error) {
      this.log.error(`${found.command} did not start: ${String(error)}`);
      void this.offerLog(`The language server ${found.command}, from ${found.where}, did not start.`);
    }
  }

  /**
   * Sends a request, after waiting for a server that is starting. Throws an error with a message for the user if there
   * is no server.
   */
  async request<P, R>(
    type: RequestType<P, R, void>,
    params: P,
    token?: vscode.CancellationToken,
  ): Promise<R> {
    const client = await this.ready();
    // The client would pass an undefined token as an additional parameter.
    return token
      ? client.sendRequest<R>(type.method, params, token)
      : client.sendRequest<R>(type.method, params);
  }

  /** Executes a command of the server. */
  async execute(command: string, argument: unknown, token: vscode.CancellationToken): Promise<unknown> {
    const params = { command, arguments: [argument] };
    return (await this.ready()).sendRequest("workspace/executeCommand", params, token);
  }

  /** Handles a command of the server's code lenses and code actions here instead of in the server. */
  intercept(command: string, handler: CommandHandler): void {
    this.commands.set(command, handler);
  }

  onNotification<P>(type: NotificationType<P>, handler: (params: P) => void): void {
    const handlers = this.notifications.get(type.method) ?? [];
    handlers.push(handler as (params: unknown) => void);
    this.notifications.set(type.method, handlers);
  }

  /** Returns the protocol's identifier of a document. */
  identifier(uri: vscode.Uri): { uri: string } {
    return { uri: this.client?.code2ProtocolConverter.asUri(uri) ?? uri.toString() };
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.running, this.analyzed, this.log).dispose();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.running.fire(false);
    // A server that failed to start cannot be stopped.
    if (client?.state !== State.Running && client?.state !== State.Starting) {
      return;
    }
    try {
      await client.dispose();
    } catch (error) {
      // The server did not respond to `shutdown` in time; the client kills its process some seconds later.
      this.log.warn(`the server did not stop in time: ${String(error)}`);
    }
  }

  private async offerLog(said: string): Promise<void> {
    if (await vscode.window.showErrorMessage(said, "Show Log")) {
      this.log.show();
    }
  }

  private async ready(): Promise<LanguageClient> {
    if (!this.isRunning) {
      await this.restarts.idle();
    }
    if (!this.client || !this.isRunning) {
      throw new Error("The GPU Async language server is not running.");
    }
    return this.client;
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [
        { language: "mlir", scheme: "file" },
        { language: "mlir", scheme: "untitled" },
      ],
      outputChannel: this.log,
      initializationOptions: initializationOptions(),
      middleware: {
        ...coexistence,
        provideDiagnostics: async (document, previous, token, next) => {
          const report = await diagnosticsOnce(document, previous, token, next);
          this.analyzed.fire(document instanceof vscode.Uri ? document : document.uri);
          return report;
        },
        provideWorkspaceDiagnostics: folderCheck,
        executeCommand: (command, args: unknown[], next) => {
          const handler = this.commands.get(command);
          return (handler ? handler(...args) : next(command, args)) as vscode.ProviderResult<unknown>;
        },
      },
    };
  }

  /** Warns about a server of a different version, with which features that only one side has would fail silently. */
  private async compareVersions(found: Found, info?: { name: string; version?: string }): Promise<void> {
    const [theirs, ours] = [info?.version ?? "of an unknown version", ownVersion(this.context)];
    if (info?.name === "gpuasync-lsp" && theirs === ours) {
      return;
    }
    const name = info?.name ?? "The language server";
    const said = `${name} is ${theirs}, this extension ${ours}: features that only one of them has will not work.`;
    this.log.warn(`${said} It is ${found.command}, from ${found.where}.`);
    const action = "Use the Server of This Extension";
    const choice = await vscode.window.showWarningMessage(
      `${said} The server comes from ${found.where}.`,
      ...(found.kind === "setting" ? [action] : []),
      "Show Log",
    );
    if (choice === action) {
      await vscode.workspace.getConfiguration("gpuasync").update("serverPath", undefined, true);
    } else if (choice) {
      this.log.show();
    }
  }

  private async offerSettings(problem: string): Promise<void> {
    const said = `${sentence(problem)} Highlighting works without the server.`;
    const choice = await vscode.window.showWarningMessage(said, "Open Settings", "Show Log");
    if (choice === "Open Settings") {
      const query = ownSetting("serverPath") ? "gpuasync.serverPath" : "gpuasync.python";
      await vscode.commands.executeCommand(...opensSetting(query));
    } else if (choice) {
      this.log.show();
    }
  }
}

/** Returns the settings of the workspace, but trust and programs only from the user's own settings. */
function initializationOptions(): object {
  const settings = vscode.workspace.getConfiguration("gpuasync");
  return {
    gpuasync: {
      ...settings,
      mlirOpt: ownSetting("mlirOpt"),
      run: { ...settings.get<object>("run"), command: ownSetting("run.command") },
    },
    trusted: vscode.workspace.isTrusted,
  };
}
