/**
 * Checks the credentials of a key, in the order of dashboard-stats 3.3. The state of a key is revealed only to clients that
 * know its secret. Every poll of every dashboard runs this, so the usual case needs no store: keys are cached until a commit
 * changes them, and their use is written later (`last_used.ts`).
 */
import { type Cached, type Log, matchesSecret, matchesSlowHash, type PluginContext, sha256, sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import { isIn, type Network, networkOf } from "./addresses.ts";
import type { DashboardKeys, KeyCheck, KeyRefusal, KeyType } from "./contract.ts";
import type { KeysUsed } from "./last_used.ts";

/** A key as it is cached between requests. */
export interface KnownKey {
  readonly id: number;
  readonly name: string;
  readonly tokenKey: string;
  /** Rewritten in place when a bcrypt hash is replaced. */
  hash: string;
  readonly type: KeyType;
  readonly isActive: boolean;
  /** In milliseconds since 1970. */
  readonly endsAt: number;
  readonly networks: readonly Network[];
}

/** Dependencies of the check. */
export interface KeyCheckOptions {
  readonly known: Cached<KnownKey>;
  readonly lastUsed: KeysUsed;
  readonly log: Log;
  /** Verifies a secret against a bcrypt hash and replaces the hash with a fast one. */
  upgrade(key: KnownKey, secret: string): Promise<boolean>;
}

/** Thrown for an unknown key instead of being returned, so that it is not cached. */
const UNKNOWN = new Error("There is no such key");
/** Compared for an unknown key, so that it takes as long as a wrong secret. */
const NO_HASH = "0".repeat(64);
const MAX_KEY = 255;
/** Characters of a key that the log shows (dashboard-stats 3.4). */
const SHOWN = 12;

const findKey = prepared("dashboard_keys.findByTokenKey", (db, p: { tokenKey: string }) =>
  db
    .selectFrom("dash_keys")
    .select(({ ref }) => [
      "id",
      "name",
      "token_key as tokenKey",
      "secret_hash as hash",
      "integration_type as type",
      "is_active as isActive",
      "allowed_ip_ranges as ranges",
      sql<number | null>`(extract(epoch from ${ref("expires_at")}) * 1000)::float8`.as("ends"),
    ])
    .where("token_key", "=", p.tokenKey),
);

/** Reads a key by the part of its credentials before the colon. */
export async function readKey(
  { db, pools }: { db: Executor } & Pick<PluginContext, "pools">,
  tokenKey: string,
): Promise<KnownKey> {
  if (tokenKey.length > MAX_KEY || tokenKey.includes("\0") || !tokenKey.isWellFormed()) throw UNKNOWN;
  const [key] = await pools.poll(findKey.compile(db, { tokenKey }));
  if (!key) throw UNKNOWN;
  const { ranges, ends, ...rest } = key;
  return {
    ...rest,
    endsAt: ends ?? Number.POSITIVE_INFINITY,
    // An unreadable range matches no address; skipping it could leave an empty list, which matches every address.
    networks: ranges.map((range) => networkOf(range) ?? NOWHERE),
  };
}

/** A network that no client is in: the unspecified address. */
const NOWHERE = networkOf("::/128") as Network;

/** Creates `DashboardKeys.check`. */
export function keyChecker({ known, lastUsed, log, upgrade }: KeyCheckOptions): DashboardKeys["check"] {
  const refuse = (refused: KeyRefusal, tokenKey: string, address: string, key?: KnownKey): KeyCheck => {
    log.info("Rejected a key", { key: tokenKey.slice(0, SHOWN), reason: refused, address });
    if (key) lastUsed.note("refused", key.id, refused === "address" ? `address ${address}` : refused);
    return { refused };
  };
  const admit = (key: KnownKey, type: KeyType, address: string): KeyCheck => {
    const error = errorOf(key, type, address);
    if (error) return refuse(error, key.tokenKey, address, key);
    lastUsed.note("used", key.id, address);
    // Not the cached key itself, which has its hash.
    return { id: key.id, name: key.name };
  };
  const checkSecret = (key: KnownKey, type: KeyType, secret: string, address: string) => {
    if (matchesSecret(secret, key.hash)) return admit(key, type, address);
    if (!key.hash.startsWith("$2")) return refuse("secret", key.tokenKey, address, key);
    return upgrade(key, secret).then((fits) =>
      fits ? admit(key, type, address) : refuse("secret", key.tokenKey, address, key),
    );
  };
  return (type, tokenKey, secret, address) => {
    const key = known.get(tokenKey);
    if (!(key instanceof Promise)) return checkSecret(key, type, secret, address);
    return key.then(
      (found) => checkSecret(found, type, secret, address),
      (error) => {
        if (error !== UNKNOWN) throw error;
        matchesSecret(secret, NO_HASH);
        return refuse("unknown", tokenKey, address);
      },
    );
  };
}

function errorOf(key: KnownKey, type: KeyType, address: string): KeyRefusal | undefined {
  if (!key.isActive) return "inactive";
  if (Date.now() >= key.endsAt) return "expired";
  if (key.type !== type) return "type";
  return key.networks.length > 0 && !isIn(key.networks, address) ? "address" : undefined;
}

const replaceHash = prepared("dashboard_keys.replaceHash", (db, p: { id: number; hash: string; old: string }) =>
  db.updateTable("dash_keys").set({ secret_hash: p.hash }).where("id", "=", p.id).where("secret_hash", "=", p.old),
);

/** Verifies a secret against bcrypt and stores its SHA-256 instead; another process may do the same at the same time. */
export async function upgradeHash(db: Executor, key: KnownKey, secret: string): Promise<boolean> {
  const old = key.hash;
  if (!(await matchesSlowHash(secret, old, `dashboard key ${key.id}`))) return false;
  const hash = sha256(secret);
  await replaceHash.execute(db, { id: key.id, hash, old });
  key.hash = hash;
  return true;
}
