/** What code in a confined process may import, and what it has to read for that. */
import { realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { INSTALL_ROOT } from "../../install_root.ts";
import type { TrampolineOrder } from "./trampoline.ts";

const CORE = join(INSTALL_ROOT, "core");
/** Packages that need neither the network nor native code. */
const LIBRARIES = ["kysely", "@sinclair/typebox"];
/** Exports that plugins import for their types; they hold nothing that could run there. */
const TYPES = ["lectern/db", "lectern/contracts", "lectern/plugins"];

/**
 * The files of what a confined process can import by default, by import name, and what is readable for that: core and the libraries.
 * @example
 * const parser = Bun.resolveSync("fflate", import.meta.dir);
 * const order = { main: `${import.meta.dir}/child.ts`, readable: [parser], unenforced: false };
 * const modules = { ...confinedModules().modules, fflate: parser };
 * const child = new ConfinedProcess({ ...order, modules }, { maxBytes: 192 * 2 ** 20, maxMessageBytes: 65_536 }, {
 *   receive: (message) => console.error(message),
 *   ended: (reason) => console.error(reason),
 * });
 * child.send({ file: "notes.zip" });
 */
export function confinedModules(): Pick<TrampolineOrder, "modules" | "readable"> {
  const libraries = LIBRARIES.map((name) => [name, realpathSync(Bun.resolveSync(name, INSTALL_ROOT))] as const);
  return {
    modules: {
      ...Object.fromEntries(libraries),
      "lectern/core": join(CORE, "confined_mod.ts"),
      ...Object.fromEntries(TYPES.map((name) => [name, null])),
    },
    readable: [CORE, ...libraries.map(([name, file]) => packageFolder(name, file))],
  };
}

function packageFolder(name: string, file: string): string {
  const marker = `${sep}${name.replaceAll("/", sep)}${sep}`;
  return file.slice(0, file.lastIndexOf(marker) + marker.length - 1);
}
