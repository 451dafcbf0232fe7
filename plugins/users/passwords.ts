/** The hash of a password that is to be stored: argon2id, about 100 ms of one core. */
export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password);
}

/** Whether a password fits a stored hash of argon2id or bcrypt; false for an account without a password. */
export async function fitsPassword(password: string, hash: string): Promise<boolean> {
  if (!/^\$(argon2|2[aby]\$)/.test(hash)) return false;
  return Bun.password.verify(password, hash);
}
