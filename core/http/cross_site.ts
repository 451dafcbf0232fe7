/**
 * Whether a browser sent a request on behalf of another site. Browsers say so by `Sec-Fetch-Site`, where only
 * `same-origin` and `none` (the address bar) are this site: `same-site` is a neighbour below the same domain. Over plain
 * http they leave that header out, so `Origin` decides where it is missing. A request with neither comes from no browser.
 * `Authorization` proves nothing: browsers send the credentials of a proxy along by themselves. `origin` is that of APP_URL.
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
