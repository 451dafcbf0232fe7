import { timingSafeEqual } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** The largest multiple of the alphabet's length in a byte; larger bytes would make the first letters more likely. */
const FAIR_BYTES = 248;
const HASH_BYTES = 32;
/** Written at each comparison, which every request makes: two buffers and a hasher made for each took a tenth of a cached read. */
const STORED = Buffer.alloc(HASH_BYTES);
const GIVEN = Buffer.alloc(HASH_BYTES);

/**
 * Random letters and digits, each equally likely.
 * @example
 * const secret = randomText(32);
 */
export function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < FAIR_BYTES && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

/**
 * SHA-256 as hex, for storing random secrets. They cannot be guessed, so they need no slow hash.
 * @example
 * const stored = sha256(randomText(32));
 */
export function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/**
 * Whether a secret has this SHA-256, compared in constant time.
 * @example
 * const stored = sha256("X7Q2");
 * if (!matchesSecret("X7Q2", stored)) throw new ApiError(401, "The key is not valid.");
 */
export function matchesSecret(secret: string, hash: string): boolean {
  Bun.SHA256.hash(secret, GIVEN);
  return hash.length === 2 * HASH_BYTES && STORED.write(hash, "hex") === HASH_BYTES && timingSafeEqual(STORED, GIVEN);
}
