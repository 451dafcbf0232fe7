/**
 * Links by which users choose a password: invitations and password resets. Only the hash of a link's secret is stored, so a
 * link cannot be shown again: renewing it replaces the secret. A link can be used once, and any change of the account's
 * password or e-mail address deletes it.
 */
import { randomText, sha256, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/** Length of a secret in characters. */
const LENGTH = 24;

/** A kind of link. */
export interface LinkKind {
  readonly table: "user_invites" | "user_resets";
  /** Lifetime in hours. */
  readonly hours: number;
  /** Path of its screen below the base URL. */
  readonly path: string;
}

/** Invitations are valid for two weeks (platform 5.3). */
export const INVITE: LinkKind = { table: "user_invites", hours: 336, path: "/register/invite" };
/** Password resets are valid for an hour. */
export const RESET: LinkKind = { table: "user_resets", hours: 1, path: "/password/reset" };

/** A new link and its user. */
export interface PersonalLink {
  readonly name: string;
  readonly email: string;
  readonly link: string;
}

type Queries = Pick<Db, "executeQuery">;

/** Creates a link for a user, replacing an earlier one. Its secret is not returned: see `renewLink`. */
export async function openLink(db: Queries, kind: LinkKind, userId: number): Promise<void> {
  await rows(
    db,
    sql`insert into ${sql.table(kind.table)} (user_id, hash, expires_at)
      values (${userId}, ${sha256(randomText(LENGTH))}, ${expiry(kind)})
      on conflict (user_id) do update set hash = excluded.hash, expires_at = excluded.expires_at`,
  );
}

/** Replaces the secret of a user's link and returns the link; undefined if there is none or the user was deleted. */
export async function renewLink(
  db: Queries,
  kind: LinkKind,
  userId: number,
  base: string,
): Promise<PersonalLink | undefined> {
  const secret = randomText(LENGTH);
  const [user] = await rows(
    db,
    sql<{ name: string; email: string }>`update ${sql.table(kind.table)} as link
      set hash = ${sha256(secret)}, expires_at = ${expiry(kind)}
      from users where users.id = link.user_id and link.user_id = ${userId} returning users.name, users.email`,
  );
  return user && { ...user, link: `${base}${kind.path}/${secret}` };
}

/** Id of the user of a link by its secret; undefined if there is none or it has expired. */
export async function linkOwner(db: Queries, kind: LinkKind, secret: string): Promise<number | undefined> {
  const [link] = await rows(
    db,
    sql<{ user_id: number }>`select user_id from ${sql.table(kind.table)}
      where hash = ${sha256(secret)} and expires_at > now()`,
  );
  return link?.user_id;
}

/** Deletes a link that is used. Returns false if it was used by another request or has expired. */
export async function takeLink(db: Queries, kind: LinkKind, secret: string): Promise<boolean> {
  const deleted = await rows(
    db,
    sql`delete from ${sql.table(kind.table)} where hash = ${sha256(secret)} and expires_at > now() returning user_id`,
  );
  return deleted.length > 0;
}

/** Deletes all links of a user. */
export async function deleteLinks(db: Queries, userId: number): Promise<void> {
  for (const { table } of [INVITE, RESET])
    await rows(db, sql`delete from ${sql.table(table)} where user_id = ${userId}`);
}

/** Deletes expired links. */
export async function sweepLinks(db: Queries): Promise<void> {
  for (const { table } of [INVITE, RESET])
    await rows(db, sql`delete from ${sql.table(table)} where expires_at < now()`);
}

/** SQL for the expiry of a new link. */
function expiry({ hours }: LinkKind) {
  return sql`now() + make_interval(hours => ${hours}::integer)`;
}
