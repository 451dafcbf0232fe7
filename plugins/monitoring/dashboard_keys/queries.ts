import { type ListSpec, notFound, type RawBuilder, sql, type Viewer } from "lectern/core";
import { prepared, refs } from "lectern/db";
import type { DashboardKeysContext } from "./contract.ts";

const STATUS = sql<"expired" | "active" | "inactive">`case when ${refs("dash_keys.expires_at")} <= now() then 'expired'
  when ${refs("dash_keys.is_active")} then 'active' else 'inactive' end`;
/** The columns before and after the status. */
const SHOWN = {
  before: ["dash_keys.id", "dash_keys.name as token_name", "dash_keys.token_key", "dash_keys.integration_type"],
  after: [
    "dash_keys.is_active",
    "dash_keys.allowed_ip_ranges",
    "dash_keys.expires_at",
    "dash_keys.max_hosts_per_day",
    "dash_keys.last_used_at",
    "dash_keys.last_used_ip",
    "dash_keys.last_refused_at",
    "dash_keys.last_refused_reason",
    "dash_keys.created_at",
    "dash_keys.updated_at",
  ],
} as const;

/** The listing of keys. */
export const KEY_LISTING: ListSpec = {
  table: "dash_keys",
  fields: {
    id: "integer",
    token_name: { type: "text", column: refs("dash_keys.name") },
    token_key: "code",
    integration_type: "code",
    status: { type: "code", column: STATUS },
    is_active: "boolean",
    expires_at: { type: "timestamp", nullable: true },
    last_used_at: { type: "timestamp", nullable: true },
    created_at: "timestamp",
    updated_at: "timestamp",
  },
  columns: sql`${refs(...SHOWN.before)}, ${STATUS} as status, ${refs(...SHOWN.after)}`,
};

const readKey = prepared("dashboard_keys.find", (db, p: { id: number; visible: RawBuilder<boolean> }) =>
  db
    .selectFrom("dash_keys")
    .select([...SHOWN.before, STATUS.as("status"), ...SHOWN.after])
    .where("dash_keys.id", "=", p.id)
    .where(p.visible),
);

/** A key as the API shows it, without its secret. Throws 404 where the viewer may not see it. */
export async function findKey({ db, visible }: DashboardKeysContext, viewer: Viewer, id: number) {
  const key = await readKey.executeTakeFirst(db, { id, visible: visible.where("dash_keys", viewer) });
  if (!key) throw notFound("Key");
  return key;
}
