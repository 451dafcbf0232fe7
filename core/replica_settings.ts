import { Type as t } from "@sinclair/typebox";
import { MINUTE_MS } from "./std/time.ts";

/** The settings of the runtime about reads from replicas of the store. */
export const replicaSettings = {
  readUrls: t.String({
    default: "",
    env: "DATABASE_READ_URLS",
    description:
      "Streaming replicas of that server, separated by spaces, that answer reading requests whose users see no older state there ([how](../db/README.md#reads-from-replicas)), and all that may be answered while that server is away; the same for all servers and commands on one database",
  }),
  readMaxLagMs: t.Integer({
    default: 10_000,
    minimum: 1,
    env: "DATABASE_READ_MAX_LAG_MS",
    unit: "milliseconds",
    description: "How far a replica may be behind before it serves no reads",
  }),
  readCheckMs: t.Integer({
    default: 1_000,
    minimum: 10,
    maximum: MINUTE_MS,
    constant: true,
    description: "Milliseconds between two checks of the replicas, and the limit of each",
  }),
};
