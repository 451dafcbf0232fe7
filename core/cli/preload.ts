/** For `bun test --preload`: lets tests of plugins that lie outside Lectern import it by name. */
import { registerDoors } from "./resolve.ts";

registerDoors();
