import { type ListSpec, notFound, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { DashboardKeysContext, ShownKey } from "./contract.ts";

const STATUS = sql`case when dash_keys.expires_at <= now() then 'expired' when dash_keys.is_active then 'active'
  else 'inactive' end`;
const SHOWN = sql`dash_keys.id, dash_keys.name as token_name, dash_keys.token_key, dash_keys.integration_type,
  ${STATUS} as status, dash_keys.is_active, dash_keys.allowed_ip_ranges, dash_keys.expires_at,
  dash_keys.max_hosts_per_day, dash_keys.last_used_at, dash_keys.last_used_ip, dash_keys.last_refused_at,
  dash_keys.last_refused_reason, dash_keys.created_at, dash_keys.updated_at`;

/** The listing of keys. */
export const KEY_LISTING: ListSpec = {
  table: "dash_keys",
  fields: {
    id: "integer",
    token_name: { type: "text", column: sql`dash_keys.name` },
    token_key: "code",
    integration_type: "code",
    status: { type: "code", column: STATUS },
    is_active: "boolean",
    expires_at: { type: "timestamp", nullable: true },
    last_used_at: { type: "timestamp", nullable: true },
    created_at: "timestamp",
    updated_at: "timestamp",
  },
  columns: SHOWN,
};

/** A key as the API shows it, without its secret. Throws 404 where the viewer may not see it. */
export async function findKey({ db, visible }: DashboardKeysContext, viewer: Viewer, id: number): Promise<ShownKey> {
  const [key] = await rows(
    db,
    sql<ShownKey>`select ${SHOWN} from dash_keys where dash_keys.id = ${id} and ${visible.where("dash_keys", viewer)}`,
  );
  if (!key) throw notFound("Key");
  return key;
}
