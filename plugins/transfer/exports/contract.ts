import type { PluginContext } from "lectern/core";

/** What the files of this plugin share. */
export interface ExportsContext extends Pick<PluginContext, "app" | "baseUrl" | "slot" | "pools"> {
  readonly settings: {
    /** The limit of each statement that reads what is exported, in milliseconds. */
    readonly readTimeoutMs: number;
  };
}
