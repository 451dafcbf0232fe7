/**
 * What a cached answer is compared with: a server that somebody writes by hand for these pages, with a map for a cache. A bare Elysia route answers
 * bytes behind a lookup of the token, compared as the plugin of tokens compares it, with a type, an entity tag and how long it may be kept. The bytes are
 * those that the server at BYTES_FROM answers first.
 */
import { timingSafeEqual } from "node:crypto";
import { Elysia } from "elysia";

const hashOf = (secret: string) => Buffer.from(new Bun.CryptoHasher("sha256").update(secret).digest("hex"));
const TOKENS = new Map([[process.env.BARE_TOKEN ?? "", hashOf(process.env.BARE_SECRET ?? "")]]);

/** An answer, with the headers that it is sent with. */
interface Kept {
  readonly bytes: ArrayBuffer;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

const KEPT = new Map<string, Kept>();

function isKnown(authorization: string | null): boolean {
  const [id = "", secret = ""] = (authorization ?? "").replace("Token ", "").split(":");
  const hash = TOKENS.get(id);
  return hash !== undefined && timingSafeEqual(hash, hashOf(secret));
}

async function answerOf(id: string, authorization: string): Promise<Kept> {
  const answer = await fetch(`${process.env.BYTES_FROM}/api/pages/${id}`, { headers: { authorization } });
  const bytes = await answer.arrayBuffer();
  const etag = `"${Bun.hash(bytes).toString(36)}"`;
  const headers = { "content-type": "application/json", etag, "cache-control": "no-cache, private" };
  return { bytes, etag, headers };
}

new Elysia()
  .get("/api/pages/:id", async ({ params: { id }, request }) => {
    const authorization = request.headers.get("authorization");
    if (!isKnown(authorization)) return new Response("", { status: 401 });
    const kept = KEPT.get(id) ?? (await answerOf(id, authorization ?? ""));
    KEPT.set(id, kept);
    const { bytes, etag, headers } = kept;
    if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
    return new Response(bytes, { headers });
  })
  .listen({ port: Number(process.env.PORT), hostname: "127.0.0.1" });
