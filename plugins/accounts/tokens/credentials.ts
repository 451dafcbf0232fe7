import { randomText } from "lectern/core";

/** The credentials of a header with the scheme `Token`. */
export interface Credentials {
  readonly tokenId: string;
  readonly secret: string;
}

/** Characters of a token's id, and of its secret (platform 1.2). */
const LENGTH = 32;
const SCHEME = "Token ";

/** Generates random credentials for a new token. */
export function generateCredentials(): Credentials {
  return { tokenId: randomText(LENGTH), secret: randomText(LENGTH) };
}

/**
 * Parses an `Authorization` header: undefined if it is absent or blank, "malformed" if it does not have the form
 * `Token id:secret` (the scheme is case-sensitive; a second colon and what follows it are ignored: platform 1.2).
 */
export function credentialsOf(header: string | null): Credentials | "malformed" | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  if (!text.startsWith(SCHEME) || !text.includes(":")) return "malformed";
  const [tokenId = "", secret = ""] = text.slice(SCHEME.length).split(":", 2);
  return { tokenId, secret };
}
