/**
 * Requests to and answers of isolated plugins. An answer is checked: its status, a few headers, and a policy that keeps a
 * document of the plugin from running scripts as the viewer.
 */
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { SentRequest } from "./child_routes.ts";
import { plainOf } from "./plain.ts";

/** What a handler of a route gets of Elysia that is sent on. */
export interface RouteContext {
  readonly params: unknown;
  readonly query: unknown;
  readonly nestedQuery: unknown;
  readonly input: unknown;
  readonly body: unknown;
  readonly address: string;
  readonly requestId: string;
  readonly request: Request;
}

const answerSchema = Type.Object({
  status: Type.Integer({ minimum: 200, maximum: 599 }),
  headers: Type.Record(Type.String(), Type.String({ maxLength: 2_000, pattern: "^[\\t\\x20-\\x7e]*$" })),
  json: Type.Optional(Type.Unknown()),
  text: Type.Optional(Type.String()),
  bytes: Type.Optional(Type.Uint8Array()),
});

/** Headers that a plugin may set; the others are left out. Redirects, cookies and policies are not its own. */
const HEADERS = new Set([
  "cache-control",
  "content-disposition",
  "content-language",
  "content-type",
  "etag",
  "last-modified",
  "retry-after",
]);
const POLICY = "default-src 'none'; sandbox";
const NO_BODY = new Set([204, 205, 304]);

/** A request as it is sent. Uploaded files, credentials and headers are not. */
export function sentRequest({ request, address, requestId, ...parts }: RouteContext): SentRequest {
  return {
    method: request.method,
    path: new URL(request.url).pathname,
    address,
    requestId,
    ...(plainOf(parts) as Pick<SentRequest, "params" | "query" | "nestedQuery" | "input" | "body">),
  };
}

/** The answer of a handler as a response. Throws for one of a wrong form, which is then a logged 500. */
export function responseOf(answer: unknown): Response {
  const first = Value.Errors(answerSchema, answer).First();
  if (first) throw new Error(`The answer of an isolated plugin: "${first.path.slice(1)}": ${first.message}`);
  const { status, headers: given, json, text, bytes } = answer as Static<typeof answerSchema>;
  const headers = new Headers({ "content-security-policy": POLICY });
  if (json !== undefined) headers.set("content-type", "application/json");
  if (text !== undefined) headers.set("content-type", "text/plain; charset=utf-8");
  for (const [name, value] of Object.entries(given)) if (HEADERS.has(name.toLowerCase())) headers.set(name, value);
  const body = json === undefined ? (text ?? (bytes as Uint8Array<ArrayBuffer> | undefined)) : JSON.stringify(json);
  return new Response(NO_BODY.has(status) ? null : body, { status, headers });
}
