/** The store of a trial: there is none. Each statement affects nothing and returns no rows, and no notification arrives. */
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import type { Db, Store } from "../../db/mod.ts";

const db: Db = new Kysely({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (own) => new PostgresIntrospector(own),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** A store that answers everything with nothing. */
export const NO_STORE: Store = {
  db,
  kind: "embedded",
  schema: "public",
  description: "no store",
  queryWithDeadline: async () => [],
  restrictedTo: () => ({ db, queryWithDeadline: async () => [] }) as never,
  limitedTo: () => db,
  hosts: async () => [],
  load: () => ({}) as never,
  listen: async () => async () => {},
  async notify() {},
  limit() {},
  observe() {},
  observeChanges() {},
  observeWaits() {},
  async close() {},
  sql: undefined as never,
};
