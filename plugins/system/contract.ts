/** The one row of facts that an instance keeps about itself. */
export interface InstanceTable {
  /** UUID, made once. */
  id: string;
}

declare module "lectern/db" {
  interface Tables {
    instance: InstanceTable;
  }
}
