/**
 * Whether a browser sent a request on behalf of another site. `Sec-Fetch-Site` decides: `same-origin` and `none` (the address
 * bar) are this site, `same-site` is another host of the same domain. Browsers omit that header over plain http; then `Origin`
 * decides. A request with neither does not come from a browser. `Authorization` is no proof, since browsers add the
 * credentials of a proxy themselves. `origin` is that of APP_URL.
 * @example
 * if (isCrossSite(request, new URL(context.baseUrl).origin)) throw denied();
 */
export function isCrossSite({ headers }: Request, origin: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin" && site !== "none";
  const from = headers.get("origin");
  if (from === null) return false;
  return from !== origin && hostOf(from) !== headers.get("host");
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
