/**
 * Screens that browsers keep: the answer has an entity tag, and `private, no-cache`, so a browser asks again before it shows what it keeps, and
 * is answered 304, without content, where that is what it would get now. The tag is a digest of the whole document, so of all that it is
 * drawn from (reader, rights, language, theme, version, content), with the policy and the reader, and without the nonce.
 *
 * The nonce is new for each document that is sent, and a document that is kept has its own. A browser takes over the headers of a 304
 * (RFC 9111, 3.2), so one with another nonce would block the styles and scripts of the kept document. So the 304 has no
 * Content-Security-Policy (RFC 9110, 15.4.5, wants none either), and the kept policy stays beside the kept document. Rejected: hashes in place
 * of nonces, as plugins get the nonce for what they add; and a nonce derived from the tag, which would be the same on every server for as
 * long as the document is, and which a 304 of another version, or behind a proxy, may still change.
 *
 * What is kept is shown by Back without a question, so signing out has the browser forget it (`FORGET`). Browsers do so in secure contexts alone:
 * where the instance is reached by plain HTTP, nothing is kept.
 */

/** A document that may be kept. */
export interface TaggedDocument {
  /** A text that differs where the document does, without its nonce. */
  readonly tag: string;
  readonly policy: string;
  /** The id of the reader. */
  readonly reader: number;
}

/** The value of Clear-Site-Data that makes a browser forget the screens that it keeps, also those that Back would show. */
export const FORGET = '"cache"';

const KEPT = "private, no-cache";
/** Addresses of this machine, which browsers take for secure. */
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether browsers can be told to forget what they keep of an origin. */
export function forgetsOnRequest(origin: string): boolean {
  const { hostname, protocol } = new URL(origin);
  return protocol === "https:" || LOOPBACK.test(hostname);
}

/** The entity tag of a document: a weak one, as it is sent compressed and uncompressed. */
export function entityTag({ tag, policy, reader }: TaggedDocument): string {
  return `W/"${digestOf(`${reader}\n${policy}\n${tag}`)}"`;
}

/** A digest of a text or of bytes, of 128 bits and more. */
export function digestOf(content: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("base64url");
}

/** Makes an answer one that its browser keeps. */
export function keepable({ headers }: Response, etag: string): void {
  headers.set("cache-control", KEPT);
  headers.set("etag", etag);
}

/** The answer to a request that names the entity tag; undefined for any other. */
export function unchanged({ headers }: Request, etag: string): Response | undefined {
  const known = headers.get("if-none-match");
  if (known === null || !known.split(",").some((each) => each.trim() === etag)) return undefined;
  return new Response(null, { status: 304, headers: { "cache-control": KEPT, etag } });
}
