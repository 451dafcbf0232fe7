import { type EventTransaction, sql } from "lectern/core";
import { rows } from "lectern/db";
import { insertToken } from "./changes.ts";

/**
 * Creates the token `id:secret` for the first administrator, if the open transaction created that user: at later boots a
 * token that was revoked must not be created again. Returns whether there is a token with this id.
 */
export async function seedToken(credentials: string, tx: EventTransaction): Promise<boolean> {
  const [tokenId = "", secret = ""] = credentials.split(":", 2);
  if (tokenId === "" || secret === "") return false;
  const [admin] = await rows(
    tx.db,
    sql<{ id: number }>`select users.id from users join role_user on role_user.user_id = users.id
    join roles on roles.id = role_user.role_id
    where roles.system_name = 'admin' and users.created_at = now() order by users.id limit 1`,
  );
  if (admin) await insertToken({ user_id: admin.id, name: "ADMIN_TOKEN" }, { tokenId, secret }, tx);
  return (await rows(tx.db, sql`select from api_tokens where token_id = ${tokenId}`)).length > 0;
}
