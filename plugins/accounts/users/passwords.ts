import { randomText, sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";

/** Bytes of a password that bcrypt uses; PHP cuts longer ones, Bun hashes them first. */
const BCRYPT_BYTES = 72;
const BCRYPT = /^\$2[aby]\$/;
const ARGON2 = /^\$argon2/;

/** A hash that no password matches, verified so that answers about missing accounts take the same time. */
let decoy: Promise<string> | undefined;

const findAccount = prepared("users.findAccount", (db, p: { email: string }) =>
  db
    .selectFrom("users")
    .select(["id", "email_confirmed as isConfirmed", "password as hash"])
    .where((eb) => eb(eb.fn<string>("lower", ["email"]), "=", sql<string>`lower(${p.email})`))
    .where("system_name", "=", sql.lit("")),
);

const replaceHash = prepared("users.replaceHash", (db, p: { id: number; before: string; hash: string }) =>
  db
    .updateTable("users")
    .set({ password: p.hash })
    .where("id", "=", p.id)
    .where("password", "=", p.before)
    .returning("password"),
);

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

/** An account whose password was right, with the stored hash; other plugins get no hash. */
interface Matched {
  readonly id: number;
  readonly isConfirmed: boolean;
  readonly hash: string;
}

/**
 * The account with an e-mail address and a password; see `Users.byPassword`. Replaces a bcrypt hash by argon2id. The guest
 * cannot sign in, whatever its password.
 */
export async function byPassword(db: Executor, email: string, password: string): Promise<Matched | undefined> {
  const user = await findAccount.executeTakeFirst(db, { email: email.replaceAll("\0", "") });
  const matches = await passwordMatches(password, user?.hash ?? "");
  if (!user || !matches) return undefined;
  return BCRYPT.test(user.hash) ? { ...user, hash: await upgrade(db, user, password) } : user;
}

/** Replaces a bcrypt hash. Returns the stored hash. */
async function upgrade(db: Executor, { id, hash }: Matched, password: string): Promise<string> {
  const user = await replaceHash.executeTakeFirst(db, { id, before: hash, hash: await hashPassword(password) });
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
