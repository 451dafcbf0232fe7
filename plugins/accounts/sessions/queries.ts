import type { Users } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { asGuest } from "./authenticate.ts";
import type { Session } from "./contract.ts";

/** The columns of a session that answers show. */
export const columns: RawBuilder<unknown> = sql`sessions.id, sessions.user_id, sessions.address, sessions.agent,
  sessions.created_at, sessions.last_seen_at`;

/** Reads a session; undefined if `where` matches none. */
export async function readSession(
  db: Pick<Db, "executeQuery">,
  where: RawBuilder<unknown>,
): Promise<Session | undefined> {
  const [session] = await rows(db, sql<Session>`select ${columns} from sessions where ${where}`);
  return session;
}

/** The guest user as an anonymous viewer; undefined if there is none. */
export async function readGuest(db: Pick<Db, "executeQuery">, users: Users): Promise<Viewer | undefined> {
  const [user] = await rows(db, sql<{ id: number }>`select id from users where system_name = 'public'`);
  const viewer = user && (await users.viewer(user.id));
  return viewer && asGuest(viewer);
}
