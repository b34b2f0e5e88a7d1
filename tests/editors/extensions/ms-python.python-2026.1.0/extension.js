const path = require("node:path");
const { EventEmitter, Uri, commands, workspace } = require("vscode");

// The environment of the first workspace folder is the selected one, as with the real extension; a command selects another.
let selected = ".venv";
const changed = new EventEmitter();
const interpreter = () => path.join(workspace.workspaceFolders[0].uri.fsPath, selected, "bin", "python");

exports.activate = () => {
  commands.registerCommand("python.selectOther", () => {
    selected = ".other";
    changed.fire({ path: interpreter() });
  });
  return {
    environments: {
      getActiveEnvironmentPath: () => ({ path: interpreter() }),
      resolveEnvironment: async () => ({ executable: { uri: Uri.file(interpreter()) } }),
      onDidChangeActiveEnvironmentPath: changed.event,
    },
  };
};
