import { ApiError, type EventTransaction, type RawBuilder, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { Session, SignedIn, SignIn } from "./contract.ts";

const MAX_AGENT = 255;

/** The columns of a session that answers show. */
export const columns: RawBuilder<unknown> = sql`sessions.id, sessions.user_id, sessions.address, sessions.agent,
  sessions.created_at, sessions.last_seen_at`;

/** The 401 of a sign-in: the same for an unknown address as for a wrong password. */
export const NO_MATCH = new ApiError(401, "These credentials do not match our records.");

/**
 * Stores a session. The user's row is held and must still have the password that was checked: one that changes at the
 * same moment ends this session with the others, or keeps it from being made. Throws the 401 then.
 */
export async function insertSession(
  draft: SignIn,
  { cookieHash, passwordHash }: { readonly cookieHash: string; readonly passwordHash: string },
  { db }: EventTransaction,
): Promise<SignedIn> {
  const held = await rows(
    db,
    sql`select from users where id = ${draft.user.id} and password = ${passwordHash} for share`,
  );
  if (held.length === 0) throw NO_MATCH;
  const [session] = await rows(
    db,
    sql<Session>`insert into sessions (user_id, hash, address, agent)
      values (${draft.user.id}, ${cookieHash}, ${draft.address}, ${draft.agent.slice(0, MAX_AGENT)})
      returning ${columns}`,
  );
  return { ...draft, session: session as Session };
}

/** A session by a condition; undefined where there is none. */
export async function readShown(
  db: Pick<Db, "executeQuery">,
  where: RawBuilder<unknown>,
): Promise<Session | undefined> {
  const [session] = await rows(db, sql<Session>`select ${columns} from sessions where ${where}`);
  return session;
}

/** Removes a session and returns the hash of its cookie; undefined where it is gone already. */
export async function removeSession(id: number, { db }: EventTransaction): Promise<string | undefined> {
  const [removed] = await rows(db, sql<{ hash: string }>`delete from sessions where id = ${id} returning hash`);
  return removed?.hash;
}

/** Removes all sessions of a user and returns the hashes of their cookies. */
export async function removeSessionsOf(userId: number, { db }: EventTransaction): Promise<string[]> {
  const removed = await rows(db, sql<{ hash: string }>`delete from sessions where user_id = ${userId} returning hash`);
  return removed.map(({ hash }) => hash);
}
