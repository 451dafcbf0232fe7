import type { Allowed } from "lectern/contracts";
import { invalidFields } from "lectern/core";
import { prepared } from "lectern/db";
import type { User, UsersContext } from "./contract.ts";
import { passwordMatches } from "./passwords.ts";

/** Attempts at the current password of an account, so that a stolen session cannot be used to guess the password. */
const CURRENT_PASSWORD: Allowed = { name: "own password by account", attempts: 10, seconds: 600 };

const readHash = prepared("users.readHash", (db, p: { id: number }) =>
  db.selectFrom("users").select("password").where("id", "=", p.id),
);

/** Throws 422 unless the password is the user's current one, and 429 after too many attempts. */
export async function checkCurrentPassword(
  { contracts, db }: UsersContext,
  { id, email }: User,
  password: string,
): Promise<void> {
  await contracts.throttle.take(CURRENT_PASSWORD, String(id));
  const stored = await readHash.executeTakeFirst(db, { id });
  if (!(await passwordMatches({ email, password }, stored?.password ?? "")))
    throw invalidFields({ current_password: "The current password is not right." });
  await contracts.throttle.forgive(CURRENT_PASSWORD, String(id));
}
