/** The running language server, and the one way to talk to it. */
import * as vscode from "vscode";
import {
  LanguageClient,
  State,
  type LanguageClientOptions,
  type NotificationType,
  type RequestType,
} from "vscode-languageclient/node";
import { coexistence } from "./coexist";
import { findServer, ownSetting } from "./find";

type CommandHandler = (...args: unknown[]) => unknown;

export class Server implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel("GPU Async", { log: true });
  private readonly running = new vscode.EventEmitter<boolean>();
  /** Fires with true when the server is ready, and with false when it has stopped. */
  readonly onRunning = this.running.event;
  private readonly analysed = new vscode.EventEmitter<vscode.Uri>();
  /** Fires when the server has looked at a document anew: after an edit, a setting, a configuration file. */
  readonly onAnalysed = this.analysed.event;
  private client: LanguageClient | undefined;
  private readonly commands = new Map<string, CommandHandler>();
  private readonly notifications: ((client: LanguageClient) => void)[] = [];
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly context: vscode.ExtensionContext) {
    this.subscriptions = [
      vscode.commands.registerCommand("gpuasync.restart", () => this.restart()),
      vscode.commands.registerCommand("gpuasync.showLog", () => {
        this.log.show();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.restart()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        // Programs are told to a server when it starts.
        const programs = ["gpuasync.serverPath", "gpuasync.mlirOpt", "gpuasync.run.command"];
        if (programs.some((name) => event.affectsConfiguration(name))) {
          void this.restart();
        }
      }),
    ];
  }

  get isRunning(): boolean {
    return this.client?.state === State.Running;
  }

  /** Finds and starts the server; where there is none, offers to install it. */
  async start(): Promise<void> {
    const found = await findServer(this.context);
    if (!found) {
      this.log.warn("gpuasync-lsp was not found");
      void this.offerInstallation();
      return;
    }
    this.log.info(`starting ${found.command} (${found.where})`);
    const client = new LanguageClient(
      "gpuasync",
      "GPU Async",
      { command: found.command, args: ["--stdio"], options: { shell: false } },
      this.options(),
    );
    client.onDidChangeState(({ newState }) => {
      const running = newState === State.Running;
      void vscode.commands.executeCommand("setContext", "gpuasync.running", running);
      this.running.fire(running);
    });
    for (const listen of this.notifications) {
      listen(client);
    }
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.log.error(`${found.command} did not start: ${String(error)}`);
      const choice = await vscode.window.showErrorMessage(
        `The language server ${found.command}, from ${found.where}, did not start.`,
        "Show Log",
      );
      if (choice) {
        this.log.show();
      }
    }
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Sends a request; without a server it throws a sentence that may be shown to the user. */
  async request<P, R>(
    type: RequestType<P, R, void>,
    params: P,
    token?: vscode.CancellationToken,
  ): Promise<R> {
    const client = this.ready();
    // An undefined token would be taken for one more parameter.
    return token
      ? client.sendRequest<R>(type.method, params, token)
      : client.sendRequest<R>(type.method, params);
  }

  /** Runs a command of the server. */
  async execute(command: string, argument: unknown, token: vscode.CancellationToken): Promise<unknown> {
    const params = { command, arguments: [argument] };
    return this.ready().sendRequest("workspace/executeCommand", params, token);
  }

  /** Answers a command that the server put into a code lens or code action here instead of there. */
  intercept(command: string, handler: CommandHandler): void {
    this.commands.set(command, handler);
  }

  onNotification<P>(type: NotificationType<P>, handler: (params: P) => void): void {
    this.notifications.push((client) => client.onNotification(type, handler));
  }

  /** The document as the protocol names it. */
  identifier(uri: vscode.Uri): { uri: string } {
    return { uri: this.client?.code2ProtocolConverter.asUri(uri) ?? uri.toString() };
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.running, this.analysed, this.log).dispose();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client && client.state !== State.Stopped) {
      await client.dispose();
    }
  }

  private ready(): LanguageClient {
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
          const report = await next(document, previous, token);
          this.analysed.fire(document instanceof vscode.Uri ? document : document.uri);
          return report;
        },
        executeCommand: (command, args: unknown[], next) => {
          const handler = this.commands.get(command);
          return (handler ? handler(...args) : next(command, args)) as vscode.ProviderResult<unknown>;
        },
      },
    };
  }

  private async offerInstallation(): Promise<void> {
    const actions = vscode.workspace.isTrusted ? ["Install", "Choose a Program"] : ["Choose a Program"];
    const choice = await vscode.window.showWarningMessage(
      "The GPU Async language server (gpuasync-lsp) was not found. Highlighting and snippets work without it.",
      ...actions,
    );
    if (choice === "Install") {
      await vscode.commands.executeCommand("gpuasync.install");
    } else if (choice) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "gpuasync.serverPath");
    }
  }
}

/** The settings of a folder's file as they are, but trust and programs as the user has them. */
function initializationOptions(): object {
  const settings = vscode.workspace.getConfiguration("gpuasync");
  return {
    gpuasync: {
      ...settings,
      trusted: vscode.workspace.isTrusted,
      mlirOpt: ownSetting("mlirOpt"),
      run: { ...settings.get<object>("run"), command: ownSetting("run.command") },
    },
    trusted: vscode.workspace.isTrusted,
  };
}

/** Runs `action`, and shows as a message what it throws; an answer that came too late is nothing to show. */
export async function shown(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!isOutdated(error)) {
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
  }
}

/** Whether a request failed since it was cancelled or the document has changed meanwhile. */
export function isOutdated(error: unknown): boolean {
  const code = (error as { code?: number } | undefined)?.code;
  return code === -32800 || code === -32801 || code === -32802;
}
