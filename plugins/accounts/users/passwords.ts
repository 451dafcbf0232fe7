import { matchesSlowHash, randomText, slowHash, sql } from "lectern/core";
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

/** A password and the account that it is for. */
interface Claim {
  readonly email: string;
  readonly password: string;
}

/**
 * Whether a password matches a stored hash of argon2id or bcrypt. For an empty hash, or one of another kind, the result is
 * false after the time that a verification takes.
 */
export async function passwordMatches({ email, password }: Claim, hash: string): Promise<boolean> {
  const account = email.toLowerCase();
  const bytes = new TextEncoder().encode(password);
  // Created before the branches, so that the first answer of a process reveals nothing by its time.
  const decoyHash = await decoyFor(account);
  if (BCRYPT.test(hash)) return matchesSlowHash(bytes.slice(0, BCRYPT_BYTES), hash, account);
  const isArgon2 = ARGON2.test(hash);
  const matches = await matchesSlowHash(bytes, isArgon2 ? hash : decoyHash, account);
  return isArgon2 && matches;
}

/** An account whose password was right, with the stored hash; other plugins get no hash. */
interface Matched {
  readonly id: number;
  readonly isConfirmed: boolean;
  readonly hash: string;
}

/** The decoy, which the first caller's account waits for; the next caller tries again where that failed. */
async function decoyFor(account: string): Promise<string> {
  decoy ??= slowHash(randomText(BCRYPT_BYTES), account);
  try {
    return await decoy;
  } catch (error) {
    decoy = undefined;
    throw error;
  }
}

/**
 * The account with an e-mail address and a password; see `Users.byPassword`. Replaces a bcrypt hash by argon2id. The guest
 * cannot sign in, whatever its password.
 */
export async function byPassword(db: Executor, email: string, password: string): Promise<Matched | undefined> {
  const user = await findAccount.executeTakeFirst(db, { email: email.replaceAll("\0", "") });
  const matches = await passwordMatches({ email, password }, user?.hash ?? "");
  if (!user || !matches) return undefined;
  return BCRYPT.test(user.hash) ? { ...user, hash: await upgrade(db, user, { email, password }) } : user;
}

/** Replaces a bcrypt hash. Returns the stored hash. */
async function upgrade(db: Executor, { id, hash }: Matched, { email, password }: Claim): Promise<string> {
  const replacement = await slowHash(password, email.toLowerCase());
  const user = await replaceHash.executeTakeFirst(db, { id, before: hash, hash: replacement });
  return user?.password ?? hash;
}
