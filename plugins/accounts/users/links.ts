/**
 * Links in mail: invitations and password resets, by which users choose a password, and those that confirm a new address. Only the
 * hash of a link's secret is stored, so a link cannot be shown again: renewing it replaces the secret. A link can be used once, and
 * any change of the account's password or e-mail address deletes it. Invitations are kept for a while after they have expired, so
 * that they are still listed and can be sent again.
 */
import { randomText, sha256, sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";

/** Length of a secret in characters. */
const LENGTH = 24;

/** A kind of link. */
export interface LinkKind {
  readonly table: "user_invites" | "user_resets" | "user_email_changes";
  /** Lifetime in hours. */
  readonly hours: number;
  /** Path of its screen below the base URL. */
  readonly path: string;
  /** Days for which it is kept after it has expired. */
  readonly keptDays: number;
}

/** Invitations are valid for two weeks (platform 5.3). */
export const INVITE: LinkKind = { table: "user_invites", hours: 336, path: "/register/invite", keptDays: 60 };
/** Password resets are valid for an hour. */
export const RESET: LinkKind = { table: "user_resets", hours: 1, path: "/password/reset", keptDays: 0 };
/** A new address is confirmed within a day. */
export const NEW_ADDRESS: LinkKind = { table: "user_email_changes", hours: 24, path: "/my-account/email", keptDays: 0 };

const KINDS = [INVITE, RESET, NEW_ADDRESS];

/** A new link and its user. */
export interface PersonalLink {
  readonly name: string;
  readonly email: string;
  readonly link: string;
}

const STATEMENTS = {
  user_invites: statementsOf("user_invites"),
  user_resets: statementsOf("user_resets"),
  user_email_changes: statementsOf("user_email_changes"),
};

function statementsOf(table: LinkKind["table"]) {
  // All tables have these columns; the compiler resolves those of one.
  const links = table as "user_invites";
  const expiry = (hours: number) => sql<string>`now() + make_interval(hours => ${hours}::integer)`;
  return {
    open: prepared(`users.openLink(${table})`, (db, p: { userId: number; hash: string; hours: number }) =>
      db
        .insertInto(links)
        .values({ user_id: p.userId, hash: p.hash, expires_at: expiry(p.hours) })
        .onConflict((conflict) =>
          conflict.column("user_id").doUpdateSet((eb) => ({
            hash: eb.ref("excluded.hash"),
            expires_at: eb.ref("excluded.expires_at"),
          })),
        ),
    ),
    renew: prepared(`users.renewLink(${table})`, (db, p: { userId: number; hash: string; hours: number }) =>
      db
        .updateTable(links)
        .from("users")
        .set({ hash: p.hash, expires_at: expiry(p.hours) })
        .whereRef("users.id", "=", `${links}.user_id`)
        .where(`${links}.user_id`, "=", p.userId)
        .returning(["users.name", "users.email"]),
    ),
    findOwner: prepared(`users.findLinkOwner(${table})`, (db, p: { hash: string }) =>
      db.selectFrom(links).select("user_id").where("hash", "=", p.hash).where("expires_at", ">", sql<string>`now()`),
    ),
    take: prepared(`users.takeLink(${table})`, (db, p: { hash: string }) =>
      db.deleteFrom(links).where("hash", "=", p.hash).where("expires_at", ">", sql<string>`now()`).returning("user_id"),
    ),
    removeOf: prepared(`users.removeLinks(${table})`, (db, p: { userId: number }) =>
      db.deleteFrom(links).where("user_id", "=", p.userId),
    ),
    sweep: prepared(`users.sweepLinks(${table})`, (db, p: { days: number }) =>
      db.deleteFrom(links).where("expires_at", "<", sql<string>`now() - make_interval(days => ${p.days}::integer)`),
    ),
  };
}

/** Creates a link for a user, replacing an earlier one. Its secret is not returned: see `renewLink`. */
export async function openLink(db: Executor, { table, hours }: LinkKind, userId: number): Promise<void> {
  await STATEMENTS[table].open.execute(db, { userId, hash: sha256(randomText(LENGTH)), hours });
}

/** Replaces the secret of a user's link and returns the link; undefined if there is none or the user was deleted. */
export async function renewLink(
  db: Executor,
  { table, hours, path }: LinkKind,
  userId: number,
  base: string,
): Promise<PersonalLink | undefined> {
  const secret = randomText(LENGTH);
  const user = await STATEMENTS[table].renew.executeTakeFirst(db, { userId, hash: sha256(secret), hours });
  return user && { ...user, link: `${base}${path}/${secret}` };
}

/** Id of the user of a link by its secret; undefined if there is none or it has expired. */
export async function linkOwner(db: Executor, { table }: LinkKind, secret: string): Promise<number | undefined> {
  return (await STATEMENTS[table].findOwner.executeTakeFirst(db, { hash: sha256(secret) }))?.user_id;
}

/** Deletes a link that is used. Returns false if it was used by another request or has expired. */
export async function takeLink(db: Executor, { table }: LinkKind, secret: string): Promise<boolean> {
  return (await STATEMENTS[table].take.executeTakeFirst(db, { hash: sha256(secret) })) !== undefined;
}

/** Deletes all links of a user. */
export async function deleteLinks(db: Executor, userId: number): Promise<void> {
  for (const kind of KINDS) await deleteLink(db, kind, userId);
}

/** Deletes a link of a user, if there is one. */
export async function deleteLink(db: Executor, { table }: LinkKind, userId: number): Promise<void> {
  await STATEMENTS[table].removeOf.execute(db, { userId });
}

/** Deletes links that have expired and are kept no longer. */
export async function sweepLinks(db: Executor): Promise<void> {
  for (const { table, keptDays } of KINDS) await STATEMENTS[table].sweep.execute(db, { days: keptDays });
}
