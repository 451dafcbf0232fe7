import { type Cached, sha256, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { SessionsSeen } from "./last_used.ts";

/** A session as it is remembered between requests. */
export interface KnownSession {
  readonly id: number;
  readonly userId: number;
  readonly isConfirmed: boolean;
  /** When a request last carried it, in milliseconds since 1970; moved along in place. */
  seenAt: number;
}

/** What finding a session needs of the plugin. */
export interface FindParts {
  readonly db: Pick<Db, "executeQuery">;
  readonly known: Cached<KnownSession>;
  readonly lastSeen: SessionsSeen;
  /** How long a session lives without a request, in milliseconds. */
  readonly lifetimeMs: number;
}

/** Finds the session that a cookie's value names, and lets it live on; undefined where none lives. */
export type FindSession = (value: string | undefined) => Promise<KnownSession | undefined>;

/** Characters of a cookie's value. */
export const LENGTH = 40;
const SHAPE = new RegExp(`^[A-Za-z0-9]{${LENGTH}}$`);
/** Thrown and not returned, so that what nobody has is not remembered. */
const GONE = new Error("There is no such session");

/** Reads a session by the hash of its cookie's value. Throws where there is none. */
export async function readSession(db: Pick<Db, "executeQuery">, hash: string): Promise<KnownSession> {
  const [session] = await rows(
    db,
    sql<KnownSession>`select sessions.id, sessions.user_id as "userId", users.email_confirmed as "isConfirmed",
    (extract(epoch from sessions.last_seen_at) * 1000)::float8 as "seenAt"
    from sessions join users on users.id = sessions.user_id where sessions.hash = ${hash}`,
  );
  if (!session) throw GONE;
  return session;
}

/** Makes the finder. */
export function sessionFinder({ db, known, lastSeen, lifetimeMs }: FindParts): FindSession {
  const isOver = ({ seenAt }: KnownSession) => Date.now() - seenAt > lifetimeMs;
  return async (value) => {
    if (value === undefined || !SHAPE.test(value)) return undefined;
    const hash = sha256(value);
    try {
      const session = await known.get(hash);
      // Another process may have seen it since.
      if (isOver(session)) session.seenAt = (await readSession(db, hash)).seenAt;
      if (isOver(session)) return undefined;
      session.seenAt = Date.now();
      lastSeen.note("seen", session.id, "", session.seenAt);
      return session;
    } catch (error) {
      if (error === GONE) return undefined;
      throw error;
    }
  };
}
