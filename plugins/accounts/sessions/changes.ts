import { ApiError, type EventTransaction, type RawBuilder, sql } from "lectern/core";
import { flattened, prepared } from "lectern/db";
import type { SignedIn, SignIn } from "./contract.ts";
import { COLUMNS } from "./queries.ts";

const MAX_AGENT = 255;

/** The 401 of a failed sign-in: the same for an unknown address as for a wrong password. */
export const NO_MATCH = new ApiError(401, "These credentials do not match our records.");

/** SQL for the seal of a user's password, see `Users.byPassword`. */
export const SEAL: RawBuilder<string> = flattened(
  sql<string>`encode(sha256(convert_to(${sql.ref("users.password")}, 'UTF8')), 'hex')`,
);

const lockVerified = prepared("sessions.lockVerified", (db, p: { id: number; seal: string }) =>
  db.selectFrom("users").where("id", "=", p.id).where(SEAL, "=", p.seal).forShare(),
);

const lockUser = prepared("sessions.lockUser", (db, p: { id: number }) =>
  db.selectFrom("users").where("id", "=", p.id).where("system_name", "=", sql.lit("")).forShare(),
);

const insert = prepared("sessions.insert", (db, p: { userId: number; hash: string; address: string; agent: string }) =>
  db
    .insertInto("sessions")
    .values({ user_id: p.userId, hash: p.hash, address: p.address, agent: p.agent })
    .returning(COLUMNS),
);

const remove = prepared("sessions.remove", (db, p: { id: number }) =>
  db.deleteFrom("sessions").where("id", "=", p.id).returning("hash"),
);

const removeOf = prepared("sessions.removeOfUser", (db, p: { userId: number }) =>
  db.deleteFrom("sessions").where("user_id", "=", p.userId).returning("hash"),
);

/**
 * Stores a session. The user's row is locked and must still have the password that was verified, if one was: a concurrent
 * change of the password either deletes this session with the others, or prevents it, which throws the 401.
 */
export async function insertSession(
  draft: SignIn,
  { cookieHash, seal }: { readonly cookieHash: string; readonly seal: string | undefined },
  { db }: EventTransaction,
): Promise<SignedIn> {
  const { user, address, agent } = draft;
  const { id } = user;
  const locked =
    seal === undefined
      ? await lockUser.executeTakeFirst(db, { id })
      : await lockVerified.executeTakeFirst(db, { id, seal });
  if (!locked) throw NO_MATCH;
  const values = { userId: id, hash: cookieHash, address, agent: agent.slice(0, MAX_AGENT) };
  const session = await insert.executeTakeFirst(db, values);
  if (!session) throw new Error("Cannot store a session: the store returned no row");
  return { ...draft, session };
}

/** Deletes a session and returns the hash of its cookie; undefined if it was deleted already. */
export async function removeSession(id: number, { db }: EventTransaction): Promise<string | undefined> {
  return (await remove.executeTakeFirst(db, { id }))?.hash;
}

/** Deletes all sessions of a user and returns the hashes of their cookies. */
export async function removeSessionsOf(userId: number, { db }: EventTransaction): Promise<string[]> {
  const removed = await removeOf.execute(db, { userId });
  return removed.map(({ hash }) => hash);
}
