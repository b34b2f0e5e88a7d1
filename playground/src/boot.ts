/** Starts the server before the page's other code, thirty times as large, has been loaded. */
import { startServer } from "./workers";

globalThis.server ??= startServer();
