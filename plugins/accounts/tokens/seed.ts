import { type EventTransaction, sql } from "lectern/core";
import { rows } from "lectern/db";
import { insertToken } from "./write.ts";

/**
 * Gives the first administrator the token `id:secret` at the first boot, which is the one whose transaction made that
 * user: a token that was revoked later must not come back with the next start. Says whether the token works.
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
