import type { Generated } from "kysely";
import type { PluginContext } from "lectern/core";

/** The single row with the id of the instance. */
export interface InstanceTable {
  /** UUID, generated once. */
  id: string;
}

/** Waiting and failed jobs; a table of the runtime. */
export interface JobsTable {
  id: Generated<number>;
  name: string;
  attempts: number;
  /** Whether all attempts failed. */
  dead: boolean;
  last_error: string | null;
  run_at: string;
  created_at: string;
}

/** The context that the files of this plugin share. */
export type SystemContext = PluginContext<never, "instance" | "jobs">;

declare module "lectern/db" {
  interface Tables {
    instance: InstanceTable;
    jobs: JobsTable;
  }
}
