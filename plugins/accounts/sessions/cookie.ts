/** Name and attributes of the session cookie (platform 1.4). */
export interface CookieStyle {
  readonly name: string;
  /** The path of APP_URL. */
  readonly path: string;
  /** Whether it has the attribute Secure. */
  readonly isSecure: boolean;
}

/** The cookie style for a base URL. */
export function cookieStyleFor(name: string, baseUrl: string): CookieStyle {
  const { pathname, protocol } = new URL(baseUrl);
  return { name, path: pathname, isSecure: protocol === "https:" };
}

/** The value of the cookie in a header, which may be empty; undefined if there is none. If there are several, the first. */
export function cookieOf(header: string | null, { name }: CookieStyle): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/**
 * The header that sets the cookie, or deletes it if `value` is empty. It has no expiry: browsers delete the cookie when they
 * close, and the server ends the session after its lifetime without a request.
 */
export function setCookie(value: string, { name, path, isSecure }: CookieStyle): string {
  const deletion = value === "" ? "; Max-Age=0" : "";
  return `${name}=${value}; Path=${path}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}${deletion}`;
}
