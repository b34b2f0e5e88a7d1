// What LLVM's extension does with its server: https://github.com/llvm/vscode-mlir. workbench.py bundles this.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const command = workspace.getConfiguration("mlir").get("server_path");
  if (!command) return; // version 0.0.16 says nothing either
  const documentSelector = [{ scheme: "file", language: "mlir" }];
  client = new LanguageClient("mlir", "MLIR", { command }, { documentSelector });
  await client.start();
};

exports.deactivate = () => client?.stop();
