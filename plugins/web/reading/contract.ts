import type { Web } from "lectern/contracts";
import type { PluginContext } from "lectern/core";

/** What the files of this plugin share. */
export interface ReadingContext extends Pick<PluginContext, "baseUrl" | "site"> {
  readonly web: Web;
}
