/**
 * Isolated plugins: entries that the operator does not trust (`isolated` in package.json) are loaded into processes of their own,
 * which the kernel confines. Here they stand for themselves as plugins whose handlers are calls to their process.
 */
import { definePlugin } from "lectern/core";
import { limitsOf } from "./limits.ts";
import { loadIsolated } from "./load_isolated.ts";

export default definePlugin({
  name: "isolation",
  async extend({ isolated }) {
    const all = isolated.map(({ entry, file, options }) => ({ entry, file, limits: limitsOf(entry, options) }));
    const loaded = await Promise.all(all.map((one) => loadIsolated({ ...one, operator: process.cwd() })));
    return loaded.map(({ plugin }) => plugin);
  },
  setup() {},
});
