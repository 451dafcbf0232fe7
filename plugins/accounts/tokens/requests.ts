import { ApiError, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { isDay } from "./write.ts";

/** Throws 422 unless a day is one of the calendar, or none. */
export function badDay(day: string | null | undefined): void {
  if (day && !isDay(day)) throw invalidField("expires_at", "The expires at must be a day of the form YYYY-MM-DD.");
}

/** The 422 for a token that shall outlive the one it is made or changed with. */
export function badEnd(end: string): ApiError {
  return invalidField("expires_at", `The expires at must not be after ${end}, when the token in use ends.`);
}

/**
 * Throws 422 for a permission that no plugin adds and no role holds. Roles drop such names in silence; a token must
 * not, since a slip would leave it without what it was made for.
 */
export async function checkNames(
  db: Pick<Db, "executeQuery">,
  names: readonly string[],
  added: readonly string[],
): Promise<void> {
  const held = await rows(db, sql<{ name: string }>`select distinct name from role_permissions`);
  const known = new Set([...added, ...held.map(({ name }) => name)]);
  const wrong = names.findIndex((name) => !known.has(name));
  if (wrong >= 0) throw invalidField(`permissions.${wrong}`, `The selected permissions.${wrong} is invalid.`);
}

function invalidField(field: string, message: string): ApiError {
  return new ApiError(422, "The given data was invalid.", { validation: { [field]: [message] } });
}
