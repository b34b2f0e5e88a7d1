/** Imported before everything else, since the libraries of this extension take a tenth of a second to load. */
import * as path from "node:path";
import { EarlyServer } from "./early";

export const early = new EarlyServer(path.dirname(__dirname));
