import type { Generated } from "kysely";

/** The one row of facts that an instance keeps about itself. */
export interface InstanceTable {
  /** UUID, made once. */
  id: string;
}

/** Work that waits or was given up; the runtime's own table. */
export interface JobsTable {
  id: Generated<number>;
  name: string;
  attempts: number;
  /** Whether it was given up after its last try. */
  dead: boolean;
  last_error: string | null;
  run_at: string;
  created_at: string;
}

declare module "lectern/db" {
  interface Tables {
    instance: InstanceTable;
    jobs: JobsTable;
  }
}
