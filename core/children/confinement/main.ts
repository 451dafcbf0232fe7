/**
 * The program of a confined process, which `trampoline.ts` executes: it registers modules by the paths of the order, since Bun finds
 * packages only where it can read all folders above, and runs the module of the order.
 */
import { pathToFileURL } from "node:url";
import { registerModules } from "../../register_modules.ts";
import type { TrampolineOrder } from "./trampoline.ts";

const { main, modules } = JSON.parse(process.argv[2] ?? "{}") as TrampolineOrder;
registerModules(Object.entries(modules).map(([name, file]) => [name, file ?? undefined] as const));
await import(pathToFileURL(main).href);
