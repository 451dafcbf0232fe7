/** For `bun test --preload`: lets tests of plugins that lie outside the house import it by name. */
import { lendHouse } from "./resolve.ts";

lendHouse();
