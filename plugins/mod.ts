/** The one list of what ships, in the order of the wish; boot puts providers before those who need them. */
import type { AnyPlugin } from "lectern/core";
import access from "./access/plugin.ts";
import docs from "./docs/plugin.ts";
import roles from "./roles/plugin.ts";
import system from "./system/plugin.ts";
import tokens from "./tokens/plugin.ts";
import users from "./users/plugin.ts";

const plugins: readonly AnyPlugin[] = [
  access,
  users,
  roles,
  tokens,
  docs,
  system,
];

export default plugins;
