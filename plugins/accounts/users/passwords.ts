import type { Credentialed } from "lectern/contracts";
import { randomText, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/** Bytes of a password that bcrypt uses; PHP cuts longer ones, Bun hashes them first. */
const BCRYPT_BYTES = 72;
const BCRYPT = /^\$2[aby]\$/;
const ARGON2 = /^\$argon2/;

/** A hash that no password matches, verified so that answers about missing accounts take the same time. */
let decoy: Promise<string> | undefined;

/** Hashes a password for storage: argon2id, about 100 ms of one core. */
export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password);
}

/**
 * Whether a password matches a stored hash of argon2id or bcrypt. For an empty hash, or one of another kind, the result is
 * false after the time that a verification takes.
 */
export async function passwordMatches(password: string, hash: string): Promise<boolean> {
  // Created before the branches, so that the first answer of a process reveals nothing by its time.
  decoy ??= hashPassword(randomText(BCRYPT_BYTES));
  const decoyHash = await decoy;
  if (BCRYPT.test(hash)) return verify(Buffer.from(password).subarray(0, BCRYPT_BYTES), hash);
  const isArgon2 = ARGON2.test(hash);
  const matches = await verify(Buffer.from(password), isArgon2 ? hash : decoyHash);
  return isArgon2 && matches;
}

/**
 * The account with an e-mail address and a password; see `Users.byPassword`. Replaces a bcrypt hash by argon2id. The guest
 * cannot sign in, whatever its password.
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
  const matches = await passwordMatches(password, user?.hash ?? "");
  if (!user || !matches) return undefined;
  return BCRYPT.test(user.hash) ? { ...user, hash: await upgrade(db, user, password) } : user;
}

/** Replaces a bcrypt hash. Returns the stored hash. */
async function upgrade(db: Pick<Db, "executeQuery">, { id, hash }: Credentialed, password: string): Promise<string> {
  const [user] = await rows(
    db,
    sql<{ password: string }>`update users set password = ${await hashPassword(password)}
      where id = ${id} and password = ${hash} returning password`,
  );
  return user?.password ?? hash;
}

async function verify(password: Uint8Array, hash: string): Promise<boolean> {
  try {
    return await Bun.password.verify(password, hash);
  } catch {
    // An invalid hash, such as one truncated by an import, matches nothing; it is not an error of the request.
    return false;
  }
}
