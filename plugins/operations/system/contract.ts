import type { PluginContext } from "lectern/core";

/** The single row with the id of the instance. */
export interface InstanceTable {
  /** UUID, generated once. */
  id: string;
}

/** The context that the files of this plugin share. The table `jobs` is one of the runtime. */
export type SystemContext = PluginContext<never, "instance" | "jobs">;

declare module "lectern/db" {
  interface Tables {
    instance: InstanceTable;
  }
}
