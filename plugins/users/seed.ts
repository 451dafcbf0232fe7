import { randomText, sql, type Work } from "lectern/core";
import { rows } from "lectern/db";
import { hashPassword } from "./passwords.ts";

const PASSWORD_LENGTH = 20;

/** Who the first administrator is. */
export interface FirstAdmin {
  readonly email: string;
  /** Empty for a random one. */
  readonly password: string;
}

/**
 * Makes the two users every instance starts with: 1 is the administrator, 2 the guest (platform 2.2). Does nothing
 * where there are users. Returns the administrator's password if it was made up here.
 */
export async function seedUsers({ email, password }: FirstAdmin, { db }: Work): Promise<string | undefined> {
  if ((await rows(db, sql`select from users limit 1`)).length > 0) return undefined;
  const made = password === "" ? randomText(PASSWORD_LENGTH) : undefined;
  const hash = await hashPassword(made ?? password);
  await sql`insert into users (id, name, email, slug, system_name, password)
    values (1, 'Admin', ${email}, 'admin', '', ${hash}),
      (2, 'Guest', 'guest@example.com', 'guest', 'public', '')`.execute(db);
  await sql`select setval(pg_get_serial_sequence('users', 'id'), 2)`.execute(db);
  await sql`insert into role_user (user_id, role_id) select users.id, roles.id from users join roles
    on roles.system_name = case users.id when 1 then 'admin' else 'public' end`.execute(db);
  return made;
}
