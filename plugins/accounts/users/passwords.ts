import type { Credentialed } from "lectern/contracts";
import { randomText, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/** What bcrypt reads of a password, in bytes; hashes made elsewhere were made of these alone. */
const BCRYPT_BYTES = 72;
const BCRYPT = /^\$2[aby]\$/;
const ARGON2 = /^\$argon2/;

let decoy: Promise<string> | undefined;

/** The hash of a password that is to be stored: argon2id, about 100 ms of one core. */
export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password);
}

/**
 * Whether a password fits a stored hash of argon2id or bcrypt; false for an account without a password or one whose hash
 * is of another kind, after the time a check would have taken.
 */
export async function fitsPassword(password: string, hash: string): Promise<boolean> {
  // Both made before either is chosen, so that the first answer of a process takes no other time than later ones.
  decoy ??= hashPassword(randomText(BCRYPT_BYTES));
  const spent = await decoy;
  if (BCRYPT.test(hash)) return verified(Buffer.from(password).subarray(0, BCRYPT_BYTES), hash);
  const isOurs = ARGON2.test(hash);
  const fits = await verified(Buffer.from(password), isOurs ? hash : spent);
  return isOurs && fits;
}

/**
 * The account that an e-mail address and a password name; see `Users.byPassword`. Replaces bcrypt by argon2id. The guest
 * is nobody's account, whatever password it may have been given.
 */
export async function byPassword(
  db: Pick<Db, "executeQuery">,
  email: string,
  password: string,
): Promise<Credentialed | undefined> {
  const [user] = await rows(
    db,
    sql<Credentialed>`select id, email_confirmed as "isConfirmed", password as hash from users
      where lower(email) = lower(${email.replaceAll("\0", "")}) and system_name = ''`,
  );
  const fits = await fitsPassword(password, user?.hash ?? "");
  if (!user || !fits) return undefined;
  return BCRYPT.test(user.hash) ? { ...user, hash: await upgrade(db, user, password) } : user;
}

async function upgrade(db: Pick<Db, "executeQuery">, { id, hash }: Credentialed, password: string): Promise<string> {
  const [user] = await rows(
    db,
    sql<{ password: string }>`update users set password = ${await hashPassword(password)}
      where id = ${id} and password = ${hash} returning password`,
  );
  return user?.password ?? hash;
}

async function verified(password: Uint8Array, hash: string): Promise<boolean> {
  try {
    return await Bun.password.verify(password, hash);
  } catch {
    // A hash that cannot be read, such as one cut short by an import, fits nothing; that is no fault of the request.
    return false;
  }
}
