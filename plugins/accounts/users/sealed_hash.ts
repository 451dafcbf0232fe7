/**
 * The hash of a password on its way through an event. Handlers of other plugins see drafts of `user_create` and `user_update`, and may
 * pass on copies of them; so the hash is encrypted there with a key of this process, and only what stores the user decrypts it. What
 * a handler puts in its place is refused, so that none chooses somebody's password.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { slowHash } from "lectern/core";

const CIPHER = "aes-256-gcm";
const KEY = randomBytes(32);
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The hash of a password for the draft of an event, encrypted (base64). */
export async function sealedHash(password: string): Promise<string> {
  return seal(await slowHash(password));
}

function seal(hash: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, KEY, nonce);
  return Buffer.concat([nonce, cipher.update(hash, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64");
}

/** The hash that was sealed in this process. Throws for any other text. */
export function unseal(sealed: string): string {
  const bytes = Buffer.from(sealed, "base64");
  try {
    const decipher = createDecipheriv(CIPHER, KEY, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
  } catch (cause) {
    throw new Error('Cannot store "password_hash": a handler of the event has changed it', { cause });
  }
}
