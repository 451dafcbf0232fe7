import { type EventTransaction, sql } from "lectern/core";
import { insertToken } from "./changes.ts";

/**
 * Creates the token `id:secret` for the first administrator, if the open transaction created that user: at later boots a
 * token that was revoked must not be created again. Returns whether there is a token with this id.
 */
export async function seedToken(credentials: string, tx: EventTransaction): Promise<boolean> {
  const [tokenId = "", secret = ""] = credentials.split(":", 2);
  if (tokenId === "" || secret === "") return false;
  const admin = await tx.db
    .selectFrom("users")
    .innerJoin("role_user", "role_user.user_id", "users.id")
    .innerJoin("roles", "roles.id", "role_user.role_id")
    .select("users.id")
    .where("roles.system_name", "=", "admin")
    .where("users.created_at", "=", sql<string>`now()`)
    .orderBy("users.id")
    .limit(1)
    .executeTakeFirst();
  if (admin) await insertToken({ user_id: admin.id, name: "ADMIN_TOKEN" }, { tokenId, secret }, tx);
  const known = await tx.db.selectFrom("api_tokens").where("token_id", "=", tokenId).execute();
  return known.length > 0;
}
