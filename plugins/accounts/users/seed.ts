import { type EventTransaction, randomText, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { type PasswordCheck, refuseFirst } from "./common_passwords.ts";
import { hashPassword } from "./passwords.ts";

const PASSWORD_LENGTH = 20;

/** Who the first administrator is. */
export interface FirstAdmin {
  readonly email: string;
  /** Empty for a random one. */
  readonly password: string;
  readonly check: PasswordCheck;
}

/** Stands where a password's hash would, until one is made up; no password fits it. */
const NOT_YET = "to be told";

/**
 * Makes the two users every instance starts with: 1 is the administrator, 2 the guest (platform 2.2). Does nothing
 * where there are users, and refuses a common password. One that was not given is made up by `tellPassword`.
 */
export async function seedUsers({ email, password, check }: FirstAdmin, { db }: EventTransaction): Promise<void> {
  if ((await rows(db, sql`select from users limit 1`)).length > 0) return;
  await refuseFirst(check, password);
  const hash = password === "" ? NOT_YET : await hashPassword(password);
  await sql`insert into users (id, name, email, slug, system_name, password)
    values (1, 'Admin', ${email}, 'admin', '', ${hash}),
      (2, 'Guest', 'guest@example.com', 'guest', 'public', '')`.execute(db);
  await sql`select setval(pg_get_serial_sequence('users', 'id'), 2)`.execute(db);
  await sql`insert into role_user (user_id, role_id) select users.id, roles.id from users join roles
    on roles.system_name = case users.id when 1 then 'admin' else 'public' end`.execute(db);
}

/**
 * Makes up the first administrator's password and tells it, once: the first time the server listens, since a start that
 * fails would have told it to nobody. Of several servers that start together one does.
 */
export async function tellPassword(db: Pick<Db, "executeQuery">, tell: (line: string) => void): Promise<void> {
  const [waiting] = await rows(db, sql`select from users where password = ${NOT_YET}`);
  if (!waiting) return;
  const password = randomText(PASSWORD_LENGTH);
  const [admin] = await rows(
    db,
    sql<{ email: string }>`update users set password = ${await hashPassword(password)}
      where password = ${NOT_YET} returning email`,
  );
  if (admin) tell(`The administrator is ${admin.email} with the password ${password} (shown once)`);
}
