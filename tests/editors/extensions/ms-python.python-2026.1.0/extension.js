const path = require("node:path");
const { Uri, workspace } = require("vscode");

// The environment of the first workspace folder is the selected one, as with the real extension.
const interpreter = () => path.join(workspace.workspaceFolders[0].uri.fsPath, ".venv", "bin", "python");

exports.activate = () => ({
  environments: {
    getActiveEnvironmentPath: () => ({ path: interpreter() }),
    resolveEnvironment: async () => ({ executable: { uri: Uri.file(interpreter()) } }),
  },
});
