/**
 * HEAD (RFC 9110, 9.3.2): the route of GET answers, and the body is removed at the very end. RouteScopes, themes and error pages see
 * the complete answer.
 */

/** The GET request that corresponds to a HEAD request. */
export function asGet({ url, headers }: Request): Request {
  return new Request(url, { method: "GET", headers });
}

/** The answer without its body. A stream of known length is cancelled unread; any other body is read for its length. */
export async function withoutBody(response: Response): Promise<Response> {
  const headers = new Headers(response.headers);
  if (headers.has("content-length")) await response.body?.cancel();
  else if (response.body) headers.set("content-length", String((await response.blob()).size));
  return new Response(null, { status: response.status, headers });
}
