import { type InputObject, invalidFields, type Viewer } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import { type ApiTokenDraft, createRules, type TokensContext } from "./contract.ts";
import { checkDay } from "./expiry.ts";

const readGranted = prepared("tokens.readGranted", (db) => db.selectFrom("role_permissions").select("name").distinct());

/** The draft of a body. Throws 422. */
export async function draftOf(
  { db, slot, validate }: TokensContext,
  user_id: number,
  viewer: Viewer,
  input: InputObject,
): Promise<ApiTokenDraft> {
  const { name, expires_at, read_only, permissions } = await validate(createRules, input, viewer);
  checkDay(expires_at);
  const names = permissions ? Object.values(permissions).map(String) : null;
  if (names) await checkNames(db, names, slot("permission"));
  return {
    user_id,
    name,
    ...(expires_at ? { expires_at } : {}),
    ...(read_only === undefined ? {} : { read_only }),
    permissions: names && [...new Set(names)].sort(),
  };
}

/**
 * Throws 422 for a permission that no plugin declares (`declared`) and no role has. Roles drop such names silently; for a
 * token a typing error would remove the permission it was created for.
 */
export async function checkNames(db: Executor, names: readonly string[], declared: readonly string[]): Promise<void> {
  const granted = await readGranted.execute(db, {});
  const known = new Set([...declared, ...granted.map(({ name }) => name)]);
  const unknown = names.findIndex((name) => !known.has(name));
  if (unknown < 0) return;
  const field = `permissions.${unknown}`;
  throw invalidFields({ [field]: `The selected ${field} is invalid.` });
}
