import { type Cached, sha256, sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import type { SessionsSeen } from "./last_used.ts";
import { endOf, type SessionLifetimes } from "./lifetimes.ts";

/** A session as it is cached between requests. */
export interface CachedSession {
  readonly id: number;
  readonly userId: number;
  readonly isConfirmed: boolean;
  /** Time of its sign-in, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Time of its last request, in milliseconds since 1970; updated in place. */
  seenAt: number;
}

/** The dependencies of the finder. */
export interface SessionFinderOptions {
  readonly db: Executor;
  readonly sessions: Cached<CachedSession>;
  readonly lastSeen: SessionsSeen;
  readonly lifetimes: SessionLifetimes;
}

/** Finds the session of a cookie's value and prolongs it; undefined if there is none or it has ended. At once where it is cached. */
export type FindSession = (value: string | undefined) => Found | Promise<Found>;
type Found = CachedSession | undefined;

/** Length of a cookie's value in characters. */
export const LENGTH = 40;
const FORMAT = new RegExp(`^[A-Za-z0-9]{${LENGTH}}$`);
/** Thrown and not returned, so that unknown values are not cached. */
const UNKNOWN = new Error("There is no such session");

const findByHash = prepared("sessions.findByHash", (db, p: { hash: string }) =>
  db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .select(["sessions.id", "sessions.user_id as userId", "users.email_confirmed as isConfirmed"])
    .select(({ ref }) => [
      sql<number>`(extract(epoch from ${ref("sessions.created_at")}) * 1000)::float8`.as("startedAt"),
      sql<number>`(extract(epoch from ${ref("sessions.last_seen_at")}) * 1000)::float8`.as("seenAt"),
    ])
    .where("sessions.hash", "=", p.hash),
);

/** Reads a session by the hash of its cookie's value. Throws if there is none. */
export async function readCachedSession(db: Executor, hash: string): Promise<CachedSession> {
  const session = await findByHash.executeTakeFirst(db, { hash });
  if (!session) throw UNKNOWN;
  return session;
}

/** Creates the finder. */
export function createSessionFinder({ db, sessions, lastSeen, lifetimes }: SessionFinderOptions): FindSession {
  const hasEnded = (session: CachedSession) => Date.now() > endOf(lifetimes, session);
  const prolonged = (session: CachedSession): CachedSession => {
    session.seenAt = Date.now();
    lastSeen.note("seen", session.id, "", session.seenAt);
    return session;
  };
  const load = async (hash: string, pending: Promise<CachedSession> | CachedSession): Promise<Found> => {
    try {
      const session = await pending;
      // Another process may have prolonged it.
      if (hasEnded(session)) session.seenAt = (await readCachedSession(db, hash)).seenAt;
      return hasEnded(session) ? undefined : prolonged(session);
    } catch (error) {
      if (error === UNKNOWN) return undefined;
      throw error;
    }
  };
  return (value) => {
    if (value === undefined || !FORMAT.test(value)) return undefined;
    const hash = sha256(value);
    const session = sessions.get(hash);
    return session instanceof Promise || hasEnded(session) ? load(hash, session) : prolonged(session);
  };
}
