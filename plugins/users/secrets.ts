const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** The largest multiple of the alphabet's size in a byte: bytes beyond it would favour its first letters. */
const FAIR_BYTES = 248;

/** Random letters and digits, each equally likely. */
export function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < FAIR_BYTES && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

/** SHA-256 as hex; for random secrets, which need no slow hash. */
export function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/** The hash of a password that is to be stored: argon2id, about 100 ms of one core. */
export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password);
}

/** Whether a password fits a stored hash of argon2id or bcrypt; false for an account without a password. */
export async function fitsPassword(password: string, hash: string): Promise<boolean> {
  if (!/^\$(argon2|2[aby]\$)/.test(hash)) return false;
  return Bun.password.verify(password, hash);
}
