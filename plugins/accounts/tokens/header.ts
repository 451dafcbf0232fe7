/** What a header of the scheme `Token` holds. */
export interface Credentials {
  readonly tokenId: string;
  readonly secret: string;
}

const SCHEME = "Token ";

/**
 * Reads an `Authorization` header: nothing where it is absent or blank, "malformed" where it is not of the form
 * `Token id:secret` (the scheme in exactly these letters; what follows a second colon is ignored: platform 1.2).
 */
export function credentialsOf(header: string | null): Credentials | "malformed" | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  if (!text.startsWith(SCHEME) || !text.includes(":")) return "malformed";
  const [tokenId = "", secret = ""] = text.slice(SCHEME.length).split(":", 2);
  return { tokenId, secret };
}
