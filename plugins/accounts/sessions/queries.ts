import type { Users } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { type Executor, prepared, refs } from "lectern/db";
import { asGuest } from "./authenticate.ts";

/** The names of the columns of a session that answers show. */
export const COLUMNS = [
  "sessions.id",
  "sessions.user_id",
  "sessions.address",
  "sessions.agent",
  "sessions.created_at",
  "sessions.last_seen_at",
] as const;

/** The same columns, for listings. */
export const columns: RawBuilder<unknown> = refs(...COLUMNS);

/** Reads a session. */
export const readSession = prepared("sessions.find", (db, p: { id: number }) =>
  db.selectFrom("sessions").select(COLUMNS).where("id", "=", p.id),
);

/** Reads a session of a user. */
export const readSessionOf = prepared("sessions.findOfUser", (db, p: { id: number; owner: number }) =>
  db.selectFrom("sessions").select(COLUMNS).where("id", "=", p.id).where("user_id", "=", p.owner),
);

/** The account of a person; nothing for the guest. */
export const readAccount = prepared("sessions.readAccount", (db, p: { id: number }) =>
  db
    .selectFrom("users")
    .select("email_confirmed as isConfirmed")
    .where("id", "=", p.id)
    .where("system_name", "=", sql.lit("")),
);

const findGuest = prepared("sessions.findGuest", (db) =>
  db.selectFrom("users").select("id").where("system_name", "=", sql.lit("public")),
);

/** Thrown and not returned, so that it is not cached. */
const NO_GUEST = new Error("There is no guest");

/** The id of the guest user. Throws if there is none. */
export async function readGuestId(db: Executor): Promise<number> {
  const user = await findGuest.executeTakeFirst(db, {});
  if (!user) throw NO_GUEST;
  return user.id;
}

/** The guest user as an anonymous viewer, by the id that is read; undefined if there is none. At once where both are cached. */
export function guestOf(
  id: number | Promise<number>,
  users: Pick<Users, "viewer">,
): Viewer | undefined | Promise<Viewer | undefined> {
  if (id instanceof Promise)
    return id.then(
      (found) => guestOf(found, users),
      (error: unknown) => {
        if (error === NO_GUEST) return undefined;
        throw error;
      },
    );
  const viewer = users.viewer(id);
  return viewer instanceof Promise ? viewer.then((found) => found && asGuest(found)) : viewer && asGuest(viewer);
}
