/**
 * Pending sign-ins: accounts that were authenticated and need a further step. They are bound to a browser by a cookie of
 * their own, of which only the hash is stored, expire, and end with any change of the account's password. They give access to
 * nothing but their step.
 */
import type { PendingSignIn } from "lectern/contracts";
import { sha256, sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import { SEAL } from "./changes.ts";
import type { SessionsContext } from "./contract.ts";
import { cookieOf, setCookie } from "./cookie.ts";

/** A pending sign-in with its return path. */
export interface Pending extends PendingSignIn {
  /** The hash of its cookie's value. */
  readonly hash: string;
  readonly returnTo: string;
}

interface NewPending {
  readonly hash: string;
  readonly userId: number;
  /** The seal of the verified password; null for another method. */
  readonly seal: string | null;
  readonly method: string;
  readonly step: string;
  readonly returnTo: string;
  readonly minutes: number;
}

/**
 * Stores a pending sign-in if the user still has the verified password. The user's row is locked, so that a concurrent change
 * of the password either deletes it afterwards or prevents it.
 */
export const insertPending = prepared("sessions.insertPending", (db, p: NewPending) =>
  db
    .insertInto("pending_sign_ins")
    .columns(["hash", "user_id", "method", "step", "return_to", "expires_at"])
    .expression((eb) =>
      eb
        .selectFrom("users")
        .select([
          sql<string>`${p.hash}::text`.as("hash"),
          "users.id",
          sql<string>`${p.method}::text`.as("method"),
          sql<string>`${p.step}::text`.as("step"),
          sql<string>`${p.returnTo}::text`.as("return_to"),
          sql<string>`now() + make_interval(mins => ${p.minutes}::integer)`.as("expires_at"),
        ])
        .where("users.id", "=", p.userId)
        .where("users.system_name", "=", sql.lit(""))
        .where((where) =>
          where.or([
            where(sql<string | null>`${p.seal}::text`, "is", null),
            where(SEAL, "=", sql<string>`${p.seal}::text`),
          ]),
        )
        .forShare(),
    )
    .returning("hash"),
);

const findPending = prepared("sessions.findPending", (db, p: { hash: string }) =>
  db
    .selectFrom("pending_sign_ins")
    .select(["user_id", "method", "step", "passed", "return_to", "expires_at"])
    .where("hash", "=", p.hash)
    .where("expires_at", ">", sql<string>`now()`),
);

/** Marks a step as done and names the next; returns nothing if another request was faster. */
export const passStep = prepared("sessions.passStep", (db, p: { hash: string; step: string; next: string }) =>
  db
    .updateTable("pending_sign_ins")
    .set(({ ref }) => ({ step: p.next, passed: sql<string[]>`array_append(${ref("passed")}, ${p.step}::text)` }))
    .where("hash", "=", p.hash)
    .where("step", "=", p.step)
    .returning("hash"),
);

/** Deletes a pending sign-in; returns nothing if it has expired or another request was faster. */
export const takePending = prepared("sessions.takePending", (db, p: { hash: string }) =>
  db
    .deleteFrom("pending_sign_ins")
    .where("hash", "=", p.hash)
    .where("expires_at", ">", sql<string>`now()`)
    .returning("hash"),
);

const removePending = prepared("sessions.removePending", (db, p: { hash: string }) =>
  db.deleteFrom("pending_sign_ins").where("hash", "=", p.hash),
);

const removePendingOf = prepared("sessions.removePendingOfUser", (db, p: { userId: number }) =>
  db.deleteFrom("pending_sign_ins").where("user_id", "=", p.userId),
);

/** Deletes expired ones. */
export const sweepPending = prepared("sessions.sweepPending", (db) =>
  db.deleteFrom("pending_sign_ins").where("expires_at", "<", sql<string>`now()`),
);

/** Deletes the pending sign-ins of a user. */
export async function endPendingOf(userId: number, db: Executor): Promise<void> {
  await removePendingOf.execute(db, { userId });
}

/** The pending sign-in of a request's cookie; undefined if there is none or the user was deleted. */
export async function pendingOf(context: SessionsContext, request: Request): Promise<Pending | undefined> {
  const hash = pendingHash(context, request);
  const row = hash === undefined ? undefined : await findPending.executeTakeFirst(context.db, { hash });
  const user = row && (await context.contracts.users.viewer(row.user_id));
  if (!row || !user || hash === undefined) return undefined;
  const { method, step, passed, return_to, expires_at } = row;
  return { user, method, step, passed, expires_at, hash, returnTo: return_to };
}

/** Ends the pending sign-in of a request's cookie. Returns the header that deletes the cookie; undefined if there is none. */
export async function dropPending(context: SessionsContext, request: Request): Promise<string | undefined> {
  const hash = pendingHash(context, request);
  if (hash === undefined) return undefined;
  await removePending.execute(context.db, { hash });
  return setCookie("", context.pendingStyle);
}

function pendingHash({ pendingStyle }: SessionsContext, request: Request): string | undefined {
  const value = cookieOf(request.headers.get("cookie"), pendingStyle);
  return value ? sha256(value) : undefined;
}
