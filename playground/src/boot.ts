/** Starts the server before the rest of the page's code, which is thirty times as large, has been loaded. */
import { startServer } from "./workers";

globalThis.server ??= startServer();
