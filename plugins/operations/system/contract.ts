/**
 * What the plugin of the instance declares: its table, the answers of its routes, and what its files share (platform 9). The table
 * of jobs belongs to the core.
 */
import {
  idSchema,
  listingSchema,
  listOf,
  nullable,
  type PluginContext,
  type Static,
  t,
  timestampSchema,
} from "lectern/core";

/** The single row with the id of the instance. */
export interface InstanceTable {
  /** UUID, generated once. */
  id: string;
}

/** The context that the files of this plugin share. The table `jobs` is one of the runtime. */
export type SystemContext = PluginContext<"instance_settings" | "upkeep", "instance" | "jobs">;

/** The instance (platform 9). */
export const systemSchema = t.Object(
  {
    version: t.String({ description: "The version of the API" }),
    instance_id: t.String(),
    app_name: t.String(),
    app_logo: nullable(t.String()),
    base_url: t.String(),
  },
  { $id: "System" },
);

const count = t.Integer({ minimum: 0 });

/** Facts for administrators. */
export const systemFactsSchema = t.Object(
  {
    lectern_version: t.String(),
    bun_version: t.String(),
    platform: t.String(),
    started_at: timestampSchema,
    boot_ms: t.Number(),
    memory_bytes: count,
    store: t.Object({ version: t.String(), bytes: t.Number() }),
    jobs: t.Object({ waiting: count, dead: count }),
    language: t.String(),
    theme: t.String(),
  },
  { $id: "SystemFacts" },
);

const texts = listOf(t.String());
const is = t.Optional(t.Boolean());
const names = t.Optional(t.Union([texts, t.Literal("any")]));
const access = t.Union([t.String(), texts, t.Object({ all: texts })], {
  description: "Whom a screen permits: public, reader, user, holders of one of the permissions, or of all",
});
const grants = t.Object({
  read: t.Optional(texts),
  write: t.Optional(texts),
  columns: t.Optional(t.Record(t.String(), texts)),
  contentTables: t.Optional(texts),
  net: names,
  env: t.Optional(texts),
  files: is,
  system: is,
  impersonate: t.Optional(t.Union([t.Boolean(), texts])),
  auth: is,
  routeScopes: names,
  visibilityRules: names,
  handlers: names,
  filters: names,
  vetoes: names,
  performs: names,
  slots: names,
  jobs: names,
  schedules: names,
  publicRoutes: names,
  writes: names,
  screens: t.Optional(t.Union([t.Record(t.String(), access), t.Literal("any")])),
});

/** The booted plugins, in boot order. */
export const bootedPluginsSchema = t.Object(
  {
    data: t.Array(
      t.Object(
        {
          name: t.String(),
          version: t.Optional(t.String({ description: "For plugins that have a version of their own" })),
          requires: texts,
          provides: texts,
          grants,
          denied: texts,
          migrations: texts,
          migrated: texts,
          events: texts,
          permissions: texts,
          commands: texts,
          boot_ms: t.Number(),
        },
        { $id: "BootedPlugin" },
      ),
    ),
    total: count,
  },
  { $id: "BootedPlugins" },
);

/** Stored files that no row names. */
export const lostFilesSchema = t.Object(
  {
    data: t.Array(t.Object({ key: t.String(), size: t.Number(), modified: timestampSchema })),
    total: count,
    bytes: t.Number(),
    kept: count,
    unclaimed: t.Record(t.String(), count),
  },
  { $id: "LostFiles" },
);

/** Parts of plugins that failed and were left out, the latest first. */
export const faultsSchema = t.Object(
  {
    data: t.Array(
      t.Object(
        {
          plugin: t.String(),
          place: t.String({ description: "The slot, with what it was called for" }),
          message: t.String({ description: "The message of the last failure" }),
          count: t.Integer({ minimum: 1, description: "Failures since the process started" }),
          first_at: timestampSchema,
          last_at: timestampSchema,
        },
        { $id: "PluginFault" },
      ),
    ),
    total: count,
  },
  { $id: "PluginFaults" },
);

/** A job whose attempts all failed. */
export const deadJobSchema = t.Object(
  {
    id: idSchema,
    name: t.String(),
    plugin: nullable(t.String({ description: "The plugin that handles the job; null where none does" })),
    attempts: count,
    last_error: nullable(t.String()),
    run_at: t.String({ ...timestampSchema, description: "The time of the last failure" }),
    created_at: timestampSchema,
  },
  { $id: "DeadJob" },
);

/** The answers about failed jobs. */
export const deadJobAnswers = {
  list: listingSchema(deadJobSchema),
  retried: t.Object({ retry_count: count }, { $id: "RetriedJobs" }),
  deleted: t.Object({ delete_count: count }, { $id: "DeletedJobs" }),
};

declare module "lectern/contracts" {
  interface Answers {
    "DELETE /api/system/jobs": Static<typeof deadJobAnswers.deleted>;
    "POST /api/system/jobs/retry": Static<typeof deadJobAnswers.retried>;
    "/api/system": Static<typeof systemSchema>;
    "/api/system/facts": Static<typeof systemFactsSchema>;
    "/api/system/faults": Static<typeof faultsSchema>;
    "/api/system/files": Static<typeof lostFilesSchema>;
    "/api/system/jobs": Static<typeof deadJobAnswers.list>;
    "/api/system/plugins": Static<typeof bootedPluginsSchema>;
  }
  interface SettingValues {
    app_name: string;
    /** An address; "none" for no logo, "" for the shipped one. */
    app_logo: string;
    /** The beginning of the paths of an uploaded icon; "" for the shipped one. */
    app_icon: string;
  }
}

declare module "lectern/db" {
  interface Tables {
    instance: InstanceTable;
  }
}
