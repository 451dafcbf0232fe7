import { timingSafeEqual } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** The largest multiple of the alphabet's size in a byte: bytes beyond it would favour its first letters. */
const FAIR_BYTES = 248;

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
 * SHA-256 as hex: how random secrets are stored. They have nothing to guess, so they need no slow hash.
 * @example
 * const stored = sha256(randomText(32));
 */
export function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/**
 * Whether a secret is the one stored as SHA-256, in a time that tells nothing about where they differ.
 * @example
 * const stored = sha256("X7Q2");
 * if (!matchesSecret("X7Q2", stored)) throw new ApiError(401, "The key is not valid.");
 */
export function matchesSecret(secret: string, hash: string): boolean {
  const stored = Buffer.from(hash, "hex");
  const given = new Bun.CryptoHasher("sha256").update(secret).digest();
  return stored.length === given.length && timingSafeEqual(stored, given);
}
