import type { Users, Web } from "lectern/contracts";
import type { PluginContext } from "lectern/core";

/** What the files of this plugin share. */
export interface AccountContext extends Pick<PluginContext, "site" | "texts"> {
  readonly users: Pick<Users, "commonPassword">;
  readonly web: Web;
}
