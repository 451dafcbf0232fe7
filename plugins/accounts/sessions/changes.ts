import { ApiError, type EventTransaction, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { Session, SignedIn, SignIn } from "./contract.ts";
import { columns } from "./queries.ts";

const MAX_AGENT = 255;

/** The 401 of a failed sign-in: the same for an unknown address as for a wrong password. */
export const NO_MATCH = new ApiError(401, "These credentials do not match our records.");

/**
 * Stores a session. The user's row is locked and must still have the password hash that was verified: a concurrent change
 * of the password either deletes this session with the others, or prevents it, which throws the 401.
 */
export async function insertSession(
  draft: SignIn,
  { cookieHash, passwordHash }: { readonly cookieHash: string; readonly passwordHash: string },
  { db }: EventTransaction,
): Promise<SignedIn> {
  const user = await rows(
    db,
    sql`select from users where id = ${draft.user.id} and password = ${passwordHash} for share`,
  );
  if (user.length === 0) throw NO_MATCH;
  const [session] = await rows(
    db,
    sql<Session>`insert into sessions (user_id, hash, address, agent)
      values (${draft.user.id}, ${cookieHash}, ${draft.address}, ${draft.agent.slice(0, MAX_AGENT)})
      returning ${columns}`,
  );
  return { ...draft, session: session as Session };
}

/** Deletes a session and returns the hash of its cookie; undefined if it was deleted already. */
export async function removeSession(id: number, { db }: EventTransaction): Promise<string | undefined> {
  const [removed] = await rows(db, sql<{ hash: string }>`delete from sessions where id = ${id} returning hash`);
  return removed?.hash;
}

/** Deletes all sessions of a user and returns the hashes of their cookies. */
export async function removeSessionsOf(userId: number, { db }: EventTransaction): Promise<string[]> {
  const removed = await rows(db, sql<{ hash: string }>`delete from sessions where user_id = ${userId} returning hash`);
  return removed.map(({ hash }) => hash);
}
