import { resolve } from "node:path";

/** The root folder of Lectern, with its package.json. */
export const INSTALL_ROOT = resolve(import.meta.dir, "..");
