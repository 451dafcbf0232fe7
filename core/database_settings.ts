import { Type as t } from "@sinclair/typebox";
import { replicaSettings } from "./replica_settings.ts";
import { sharedLimits } from "./shared_limits.ts";
import { MINUTE_MS } from "./std/time.ts";

/** The settings of the runtime about the store, and the limits that are multiples of how long it may take. */
export const databaseSettings = {
  databaseUrl: t.String({
    default: "",
    env: "DATABASE_URL",
    place: {
      of: "rows",
      otherNames: [
        ...["DATABASE_URI", "DATABASE_DSN", "DATABASE_CONNECTION_STRING", "DATABASE_URL_FILE", "DB_URL", "DB_URI"],
        ...["DB_DSN", "PG_URL", "PG_URI", "PGURL", "POSTGRES_URL", "POSTGRES_URI", "POSTGRES_DSN", "POSTGRESQL_URL"],
        "POSTGRESQL_URI",
      ],
    },
    description:
      "A PostgreSQL server (14 or later) in place of the embedded one; of several hosts (`postgres://user:password@h1:5432,h2:5432/name`) the one that accepts writes is used, also after a failover ([db](../db/README.md#failover-and-poolers))",
  }),
  prepare: t.Boolean({
    default: true,
    env: "DATABASE_PREPARE",
    description:
      "Prepares statements; false behind a pooler in transaction mode that refuses it, such as pgbouncer before 1.21",
  }),
  listenUrl: t.String({
    default: "",
    env: "DATABASE_LISTEN_URL",
    description:
      "Address of the server itself, for notifications, where DATABASE_URL is a pooler in transaction mode; without it, what other servers change shows after a second",
  }),
  ...replicaSettings,
  pluginRoles: t.Union([t.Literal("third-party"), t.Literal("all"), t.Literal("off")], {
    default: "third-party",
    env: "PLUGIN_ROLES",
    description:
      "Plugins whose tables PostgreSQL restricts to their grants, by a role each: third-party (those that do not ship), all or off",
  }),
  poolSize: t.Integer({
    default: 6,
    minimum: 2,
    maximum: 100,
    env: "DATABASE_POOL",
    unit: "connections",
    description:
      "Connections for requests; there are also one for notifications, two for dashboards, and those of DATABASE_SLOW_POOL",
  }),
  slowPoolSize: t.Integer({
    default: 4,
    minimum: 1,
    maximum: 100,
    env: "DATABASE_SLOW_POOL",
    unit: "connections",
    description:
      "Connections for slow reads (searches, listings with filters or large offsets, exports, jobs), so that other requests do not wait for them; users take turns, and one user has at most half of them",
  }),
  ...sharedLimits,
  databaseWaitMs: t.Integer({
    default: 10_000,
    minimum: 100,
    env: "DATABASE_WAIT_MS",
    unit: "milliseconds",
    description: "How long to wait for a free connection (503 beyond)",
  }),
  writeTimeoutMs: t.Integer({
    default: 30_000,
    minimum: 100,
    constant: true,
    times: { of: "databaseTimeoutMs", by: 6 },
    description:
      "How long the store may take for each statement of a write (503 beyond): one that changes many rows takes longer than a read",
  }),
  listingTimeoutMs: t.Integer({
    default: 10_000,
    minimum: 100,
    constant: true,
    times: { of: "databaseTimeoutMs", by: 2 },
    description:
      "How long the store may take for a listing with filters or a far offset (422 beyond): it reads many rows, and its user waits",
  }),
  jobTimeoutMs: t.Integer({
    default: 10 * MINUTE_MS,
    minimum: 100,
    constant: true,
    times: { of: "databaseTimeoutMs", by: 120 },
    description: "How long the store may take for each statement of a job in the background, for which nobody waits",
  }),
};
