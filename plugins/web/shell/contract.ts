import type { PluginContext } from "lectern/core";

/** What the files of this plugin share. */
export interface ShellContext
  extends Pick<
    PluginContext<"mail" | "sessions" | "system">,
    "callAs" | "contracts" | "runtime" | "site" | "slot" | "texts"
  > {
  /** The origin of APP_URL. */
  readonly origin: string;
  /** The path of APP_URL without a final slash. */
  readonly root: string;
}
