/**
 * HEAD (RFC 9110, 9.3.2): the route of GET answers it. The body is dropped at the very end, after areas, themes and error
 * documents: whatever stands around a route may read the answer's body and finds it whole.
 */

/** The GET whose answer a HEAD request is given. */
export function asGet({ url, headers }: Request): Request {
  return new Request(url, { method: "GET", headers });
}

/** The same answer without its body. A streamed body is cancelled unread; one held in memory is measured. */
export async function withoutBody(response: Response): Promise<Response> {
  const headers = new Headers(response.headers);
  if (headers.has("content-length")) await response.body?.cancel();
  else if (response.body) headers.set("content-length", String((await response.blob()).size));
  return new Response(null, { status: response.status, headers });
}
