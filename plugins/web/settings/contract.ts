import type { Users, Web } from "lectern/contracts";
import type { PluginContext } from "lectern/core";

/** What the files of this plugin share. */
export interface SettingsContext extends Pick<PluginContext, "site" | "slot" | "texts"> {
  readonly web: Web;
  /** Whether this instance sends mail. */
  canInvite(): boolean;
  readonly commonPassword: Users["commonPassword"];
}
