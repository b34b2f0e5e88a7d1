/** The script of the streams picture: the page of the VS Code extension, in a frame. */
import "./host";
import "../../vscode-extension/src/webview/streams";
