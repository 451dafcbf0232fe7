/** For `bun test --preload`: lets tests of plugins outside of Lectern import its package exports. */
import { registerExports } from "./resolve.ts";

registerExports();
