/**
 * Links that let somebody choose a password: invitations, and resets for those who forgot theirs. The store keeps only
 * the hash of a link's secret, so a link cannot be shown twice: whoever needs one again makes a new one, which ends the
 * one before. A link is used once, and a new password or address of the account, however it came, ends it too.
 */
import { randomText, sha256, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

const LENGTH = 24;

/** A kind of link. */
export interface LinkKind {
  readonly table: "user_invites" | "user_resets";
  /** How long it holds, in hours. */
  readonly hours: number;
  /** Where the web shows it, below the instance's address. */
  readonly path: string;
}

/** Invitations hold for two weeks (platform 5.3). */
export const INVITE: LinkKind = { table: "user_invites", hours: 336, path: "/register/invite" };
/** Resets hold for an hour. */
export const RESET: LinkKind = { table: "user_resets", hours: 1, path: "/password/reset" };

/** A fresh link and whose it is. */
export interface PersonalLink {
  readonly name: string;
  readonly email: string;
  readonly link: string;
}

type Queries = Pick<Db, "executeQuery">;

/** Gives a user a link in place of an earlier one. */
export async function openLink(db: Queries, kind: LinkKind, userId: number): Promise<void> {
  await rows(
    db,
    sql`insert into ${sql.table(kind.table)} (user_id, hash, expires_at)
      values (${userId}, ${sha256(randomText(LENGTH))}, ${ending(kind)})
      on conflict (user_id) do update set hash = excluded.hash, expires_at = excluded.expires_at`,
  );
}

/** A new secret for the link a user was given; undefined where there is none or the user is gone. */
export async function renewLink(
  db: Queries,
  kind: LinkKind,
  userId: number,
  base: string,
): Promise<PersonalLink | undefined> {
  const secret = randomText(LENGTH);
  const [user] = await rows(
    db,
    sql<{ name: string; email: string }>`update ${sql.table(kind.table)} as given
      set hash = ${sha256(secret)}, expires_at = ${ending(kind)}
      from users where users.id = given.user_id and given.user_id = ${userId} returning users.name, users.email`,
  );
  return user && { ...user, link: `${base}${kind.path}/${secret}` };
}

/** Whose link a secret is, while it holds. */
export async function linkOwner(db: Queries, kind: LinkKind, secret: string): Promise<number | undefined> {
  const [given] = await rows(
    db,
    sql<{ user_id: number }>`select user_id from ${sql.table(kind.table)}
      where hash = ${sha256(secret)} and expires_at > now()`,
  );
  return given?.user_id;
}

/** Uses a link up; false where somebody else was quicker, or it has ended. */
export async function takeLink(db: Queries, kind: LinkKind, secret: string): Promise<boolean> {
  const taken = await rows(
    db,
    sql`delete from ${sql.table(kind.table)} where hash = ${sha256(secret)} and expires_at > now() returning user_id`,
  );
  return taken.length > 0;
}

/** Ends all links of a user. */
export async function endLinks(db: Queries, userId: number): Promise<void> {
  for (const { table } of [INVITE, RESET])
    await rows(db, sql`delete from ${sql.table(table)} where user_id = ${userId}`);
}

/** Removes what nobody can use any more. */
export async function sweepLinks(db: Queries): Promise<void> {
  for (const { table } of [INVITE, RESET])
    await rows(db, sql`delete from ${sql.table(table)} where expires_at < now()`);
}

function ending({ hours }: LinkKind) {
  return sql`now() + make_interval(hours => ${hours}::integer)`;
}
