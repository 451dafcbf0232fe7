/** How the cookie of a session is written and read (platform 1.4). */
export interface CookieStyle {
  readonly name: string;
  /** The path of APP_URL. */
  readonly path: string;
  /** Sent over https alone. */
  readonly isSecure: boolean;
}

/** The style that suits an instance's address. */
export function cookieStyle(name: string, baseUrl: string): CookieStyle {
  const { pathname, protocol } = new URL(baseUrl);
  return { name, path: pathname, isSecure: protocol === "https:" };
}

/** What the request's cookie of that name holds, "" included; undefined where there is none. The first one counts. */
export function cookieOf(header: string | null, { name }: CookieStyle): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/**
 * The header that sets the cookie, or takes it away where `value` is empty. It names no end of its own: the browser
 * forgets it when it closes, the server when nothing came for the lifetime.
 */
export function setCookie(value: string, { name, path, isSecure }: CookieStyle): string {
  const ending = value === "" ? "; Max-Age=0" : "";
  return `${name}=${value}; Path=${path}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}${ending}`;
}
