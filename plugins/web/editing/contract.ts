import type { Web } from "lectern/contracts";
import type { PluginContext } from "lectern/core";

/** What the files of this plugin share. */
export interface EditingContext extends Pick<PluginContext, "site"> {
  readonly web: Web;
  /** Addresses of the scripts that screens load. */
  readonly scripts: { readonly editor: string; readonly order: string };
  /** Largest image, in megabytes. */
  readonly limitMb: number;
}
