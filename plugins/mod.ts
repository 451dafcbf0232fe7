/** The one list of what ships, in the order of the wish; boot puts providers before those who need them. */
import type { AnyPlugin } from "lectern/core";
import docs from "./docs/plugin.ts";
import system from "./system/plugin.ts";

const plugins: readonly AnyPlugin[] = [
  docs,
  system,
];

export default plugins;
