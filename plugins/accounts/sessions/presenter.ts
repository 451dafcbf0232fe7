import type { Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import type { Session, SessionsContext } from "./contract.ts";
import { endOf } from "./lifetimes.ts";

const readEmail = prepared("sessions.readEmail", (db, p: { id: number }) =>
  db.selectFrom("users").select("email").where("id", "=", p.id),
);

/** The answer of `/session`: the user, their permissions, and the session with the time at which it ends without a request. */
export async function presentSession(
  { db, lifetimes }: SessionsContext,
  { id, name, slug, permissions }: Viewer,
  session: Session,
) {
  const user = await readEmail.executeTakeFirst(db, { id });
  const end = endOf(lifetimes, { startedAt: Date.parse(session.created_at), seenAt: Date.now() });
  const expires_at = new Date(end).toISOString().replace("Z", "000Z");
  return {
    user: { id, name, slug, email: user?.email ?? "" },
    permissions: [...permissions].sort(),
    session: { id: session.id, created_at: session.created_at, expires_at },
  };
}
