import { type EventTransaction, notFound, sha256, sql } from "lectern/core";
import { prepared, refs } from "lectern/db";
import type { ForgetKey, KeyChange, KeyDraft, KeyFacts, KeyType } from "./contract.ts";

/** Both halves of a key; the secret is shown once. */
export interface KeyParts {
  readonly token_key: string;
  readonly token_secret: string;
}

const PREFIXES: Readonly<Record<KeyType, string>> = { dashboard: "dash_", enrolment: "enrol_" };

/** Random halves of a key (dashboard-stats 3.1). */
export function randomKey(type: KeyType): KeyParts {
  return { token_key: PREFIXES[type] + randomHex(16), token_secret: randomHex(32) };
}

/** Stores a key. */
export async function insertKey(draft: KeyDraft, parts: KeyParts, { db, viewer }: EventTransaction): Promise<KeyFacts> {
  const { id } = await db
    .insertInto("dash_keys")
    .values({
      name: draft.name,
      token_key: parts.token_key,
      secret_hash: sha256(parts.token_secret),
      integration_type: draft.integration_type,
      expires_at: draft.expires_at,
      allowed_ip_ranges: sql`${JSON.stringify(draft.allowed_ip_ranges)}::text::jsonb`,
      ...(draft.max_hosts_per_day === undefined ? {} : { max_hosts_per_day: draft.max_hosts_per_day }),
      created_by: viewer.id === 0 ? null : viewer.id,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return { id, name: draft.name, integration_type: draft.integration_type };
}

/** Changes a key; takes effect on the next request. Throws 404 where it does not exist. */
export async function changeKey(
  id: number,
  draft: KeyChange,
  forget: ForgetKey,
  tx: EventTransaction,
): Promise<KeyFacts> {
  const { allowed_ip_ranges: ranges, ...plain } = draft;
  const changed = await tx.db
    .updateTable("dash_keys")
    .set({
      ...plain,
      ...(ranges === undefined ? {} : { allowed_ip_ranges: sql`${JSON.stringify(ranges)}::text::jsonb` }),
      updated_at: sql<string>`now()`,
    })
    .where("id", "=", id)
    .returning(["name", "integration_type", "token_key"])
    .executeTakeFirst();
  if (!changed) throw notFound("Key");
  await forget(tx, changed.token_key);
  return { id, name: changed.name, integration_type: changed.integration_type };
}

/** Deletes a key. Throws 404 where it does not exist. */
export async function removeKey({ id }: KeyFacts, forget: ForgetKey, tx: EventTransaction): Promise<KeyFacts> {
  const gone = await tx.db
    .deleteFrom("dash_keys")
    .where("id", "=", id)
    .returning(["name", "integration_type", "token_key"])
    .executeTakeFirst();
  if (!gone) throw notFound("Key");
  await forget(tx, gone.token_key);
  return { id, name: gone.name, integration_type: gone.integration_type };
}

/** Counts hosts of today; returns nothing where they would exceed the limit of a day. */
const spendHosts = prepared("dashboard_keys.spend", (db, p: { id: number; hosts: number }) => {
  const today = sql<string>`(now() at time zone 'UTC')::date`;
  const [made, madeOn] = [refs("dash_keys.hosts_made"), refs("dash_keys.hosts_made_on")];
  const total = sql<number>`case when ${madeOn} = ${today} then ${made} else 0 end + ${p.hosts}::integer`;
  return db
    .updateTable("dash_keys")
    .set({ hosts_made: total, hosts_made_on: today })
    .where("id", "=", p.id)
    .where("max_hosts_per_day", ">=", total)
    .returning("id");
});

/** `DashboardKeys.spend`, in one statement. */
export async function spend(keyId: number, hosts: number, { db }: EventTransaction): Promise<boolean> {
  return (await spendHosts.executeTakeFirst(db, { id: keyId, hosts })) !== undefined;
}

function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}
