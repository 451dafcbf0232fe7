/**
 * Compression of answers, by what the client accepts. Answers of a kilobyte and more are compressed: by zstd, which takes 26 µs for 24 KB,
 * else gzip, 34 µs, else Brotli; what is sent unchanged many times, such as scripts, by Brotli at its best, which is made once. Of answers
 * that are kept, the compressed form is kept with them. What is longer than `NOW_BYTES` is compressed in a thread of the runtime, and what is
 * longer than `MAX_BYTES` not at all, as it would be held in memory.
 *
 * Left as they are: answers to what is no GET, since those alone show secrets such as new tokens; answers that set cookies, ranges, files for
 * download, and what a plugin has compressed itself. Proxies that compress leave alone what is compressed.
 */
import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants, gzip } from "node:zlib";
import { JsonBytes } from "../std/json_bytes.ts";
import { contentOf, isCollected, isConstant, isKept, wholeResponse } from "../std/one_write.ts";
import type { MaybePromise } from "../std/when_ready.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A coding of answers. */
type Coding = "zstd" | "gzip" | "br";

/** Bytes from which compression saves a packet. */
const MIN_BYTES = 1_024;
/** Bytes that are compressed at once, within a tenth of a millisecond. */
const NOW_BYTES = 64 * 1_024;
/** Bytes of the longest answer that is compressed. */
const MAX_BYTES = 8 * 1_024 * 1_024;
/** The order for what is compressed for one answer, and for what is made once. */
const QUICKEST: readonly Coding[] = ["zstd", "gzip", "br"];
const SMALLEST: readonly Coding[] = ["br", "zstd", "gzip"];
/** Levels by coding. */
type Levels = { zstd: number; gzip: 4 | 9; br: number };
const QUICK: Readonly<Levels> = { zstd: 3, gzip: 4, br: 4 };
/** Of what is made once: they take up to 7 ms for 24 KB, and two seconds for the scripts of an editor's screen. */
export const BEST: Levels = { zstd: 19, gzip: 9, br: 11 };
/** Values of Accept-Encoding whose meaning is remembered: browsers and libraries send a few. */
const MAX_KNOWN = 100;
const COMPRESSED_TYPES = new Set([
  "application/javascript",
  "application/json",
  "application/manifest+json",
  "application/opensearchdescription+xml",
  "application/xml",
  "application/yaml",
  "image/svg+xml",
  "text/css",
  "text/csv",
  "text/html",
  "text/javascript",
  "text/markdown",
  "text/plain",
  "text/xml",
]);
/** Headers of answers that are left as they are. */
const KEPT_AS_IS = ["content-encoding", "content-range", "content-disposition", "set-cookie"];

const gzipLater = promisify(gzip);
const brotliLater = promisify(brotliCompress);
const known = new Map<string, ReadonlySet<string>>();

/** The codings that an Accept-Encoding header accepts; "*" for all that it does not name. */
function acceptedBy(header: string): ReadonlySet<string> {
  const found = known.get(header);
  if (found) return found;
  const parts = header
    .toLowerCase()
    .split(",")
    .map((part) => part.split(";").map((word) => word.trim()));
  const refused = new Set(parts.filter(([, quality]) => /^q=0(?:\.0*)?$/.test(quality ?? "")).map(([name]) => name));
  const names = parts.flatMap(([name = ""]) => (refused.has(name) ? [] : [name]));
  const isAny = names.includes("*");
  const accepted = new Set(QUICKEST.filter((coding) => names.includes(coding) || (isAny && !refused.has(coding))));
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(header, accepted);
  return accepted;
}

/** The coding for a request, the first one of an order that it accepts; undefined for none. */
function codingFor({ method }: Request, accepted: string | null, order: readonly Coding[]): Coding | undefined {
  if (accepted === null || (method !== "GET" && method !== "HEAD")) return undefined;
  const codings = acceptedBy(accepted);
  return order.find((coding) => codings.has(coding));
}

const forms = new WeakMap<Bytes, Map<Coding, Bytes | undefined>>();

/**
 * The answer in a coding that its request accepts, or as it is: one whose content is known (`contentOf`), so that no stream is waited for. A promise where it
 * is compressed in a thread.
 */
export function compressed(request: Request, response: Response): MaybePromise<Response> {
  const accepted = request.headers.get("accept-encoding");
  const content = contentOf(response);
  if (content === undefined || response.status !== 200) return response;
  const isStatic = isConstant(response);
  // Most programs accept nothing: what follows reads the headers of the answer.
  if (accepted === null && !isStatic) return response;
  const coding = codingFor(request, accepted, isStatic ? SMALLEST : QUICKEST);
  if (!isCompressible(response)) return response;
  if (!coding) return isStatic ? varied(response) : response;
  if (content instanceof JsonBytes || (isKept(response) && typeof content !== "string")) {
    const kept = keptForm(content instanceof JsonBytes ? content.bytes : content, coding);
    return kept ? codedResponse(response, coding, kept) : response;
  }
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) return response;
  if (isStatic) return whenMade(bestForm(bytes, coding), response, coding);
  if (bytes.length <= NOW_BYTES) return codedResponse(response, coding, compressNow(bytes, coding));
  return whenMade(compressLater(bytes, coding), response, coding);
}

/** The answer once its form is made; where it cannot be, such as for want of memory, the answer as it is. */
function whenMade(form: Promise<Bytes>, response: Response, coding: Coding): Promise<Response> {
  return form.then(
    (made) => codedResponse(response, coding, made),
    () => response,
  );
}

function isCompressible({ headers }: Response): boolean {
  const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
  if (!COMPRESSED_TYPES.has(type.trim().toLowerCase())) return false;
  return !KEPT_AS_IS.some((name) => headers.has(name)) && !headers.get("cache-control")?.includes("no-transform");
}

/** Bytes that are kept, in a coding; undefined where they are sent as they are. The form is made once. */
function keptForm(bytes: Bytes, coding: Coding): Bytes | undefined {
  if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) return undefined;
  const own = forms.get(bytes) ?? new Map<Coding, Bytes | undefined>();
  forms.set(bytes, own);
  if (own.has(coding)) return own.get(coding);
  const isShort = bytes.length <= NOW_BYTES;
  own.set(coding, isShort ? compressNow(bytes, coding) : undefined);
  // The answers until it is made are sent as they are.
  if (!isShort)
    void compressLater(bytes, coding).then(
      (later) => own.set(coding, later),
      () => own.delete(coding),
    );
  return own.get(coding);
}

const bests = new WeakMap<Bytes, Map<Coding, Promise<Bytes>>>();

/** What is sent unchanged many times, at its smallest; made once, in a thread. */
function bestForm(bytes: Bytes, coding: Coding): Promise<Bytes> {
  const own = bests.get(bytes) ?? new Map<Coding, Promise<Bytes>>();
  bests.set(bytes, own);
  const made = own.get(coding) ?? compressLater(bytes, coding, BEST);
  own.set(coding, made);
  made.catch(() => own.delete(coding));
  return made;
}

function compressNow(bytes: Bytes, coding: Coding): Bytes {
  if (coding === "zstd") return owned(Bun.zstdCompressSync(bytes, { level: QUICK.zstd }));
  if (coding === "gzip") return Bun.gzipSync(bytes, { level: QUICK.gzip });
  return owned(brotliCompressSync(bytes, brotliOptions(QUICK.br)));
}

async function compressLater(bytes: Bytes, coding: Coding, levels: Readonly<Levels> = QUICK): Promise<Bytes> {
  if (coding === "zstd") return owned(await Bun.zstdCompress(bytes, { level: levels.zstd }));
  if (coding === "gzip") return owned(await gzipLater(bytes, { level: levels.gzip }));
  return owned(await brotliLater(bytes, brotliOptions(levels.br)));
}

function brotliOptions(quality: number) {
  return { params: { [constants.BROTLI_PARAM_QUALITY]: quality } };
}

/** The bytes without the pool of buffers that they may lie in, which would be kept with them. */
function owned(bytes: Uint8Array): Bytes {
  return new Uint8Array(bytes);
}

function codedResponse({ status, headers }: Response, coding: Coding, bytes: Bytes): Response {
  headers.set("content-encoding", coding);
  headers.delete("content-length");
  // The same content in other bytes.
  const etag = headers.get("etag");
  if (etag?.startsWith('"')) headers.set("etag", `W/${etag}`);
  return varied(
    isCollected(bytes)
      ? new Response(bytes, { status, headers })
      : wholeResponse(bytes, { status, headers: Object.fromEntries(headers) }),
  );
}

/** Tells caches that other clients get another form. */
function varied(response: Response): Response {
  response.headers.append("vary", "Accept-Encoding");
  return response;
}
