/** The streams picture: the page of the extension for VS Code, in a frame. */
import "./host";
import "../../vscode-extension/src/webview/streams";
