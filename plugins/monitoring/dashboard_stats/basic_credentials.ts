import { trimEndChars } from "lectern/core";

/** The two halves of Basic credentials. */
export interface BasicCredentials {
  readonly key: string;
  readonly secret: string;
}

const HEADER = /^basic +([A-Za-z0-9+/_-]+)={0,2}\s*$/i;
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses an `Authorization` header (dashboard-stats 3.2): the scheme in any case, base64 with or without padding, UTF-8,
 * split at the first colon. Undefined for anything else, and where a half is empty. Line breaks after the secret, which
 * `echo` adds, are removed.
 */
export function basicCredentials(header: string | null): BasicCredentials | undefined {
  const encoded = HEADER.exec(header ?? "")?.[1];
  if (encoded === undefined || encoded.length % 4 === 1) return undefined;
  let text: string;
  try {
    text = decoder.decode(Buffer.from(encoded, "base64"));
  } catch {
    return undefined;
  }
  const at = text.indexOf(":");
  const secret = trimEndChars(text.slice(at + 1), "\r\n");
  return at > 0 && secret !== "" ? { key: text.slice(0, at), secret } : undefined;
}
