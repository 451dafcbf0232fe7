/**
 * Signed requests to an S3-compatible service. A request that fails for a passing reason (no connection, no answer in time,
 * 429, 5xx) is sent again after a growing pause. Bun's S3Client is not used: it has neither time limits nor pauses, reports a
 * wrong key or bucket of a HEAD request as an unknown error or a missing file, cannot list unfinished uploads, and OpenStack
 * Swift refuses the signed addresses that it makes.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { MINUTE_MS, ObjectStoreAway, SECOND_MS, trimEndChars, withinTime } from "lectern/core";
import { messageOf } from "lectern/db";
import { textOf } from "./xml.ts";

/** A bucket, its access key, and how requests are sent. */
export interface S3Connection {
  /** Such as "https://s3.example.com", with a path if the service has one. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  /** Addresses the bucket as the first part of the host name in place of the path. */
  readonly virtualHost?: boolean;
  /** Milliseconds until an answer begins; also the longest silence within a download. */
  readonly timeoutMs?: number;
  /** How often a request is sent at most. */
  readonly attempts?: number;
}

/** A request of a bucket, or of an object in it. */
export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** The object; the bucket itself if absent. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** An address that anybody may read one object at for a time. */
export interface SignedGet {
  readonly key: string;
  /** How long it holds; at the least half of it, as addresses of the same half are the same. */
  readonly seconds: number;
  /** The Content-Type and Content-Disposition of the answer. */
  readonly type: string;
  readonly disposition: string;
}

/** Requests of one bucket. */
export interface S3Requests {
  /** Sends a request until it succeeds, and resolves with an answer of status 2xx. Throws S3Error or ObjectStoreAway. */
  send(request: S3Request): Promise<Response>;
  /** Such a request with the answer's body as text. */
  text(request: S3Request): Promise<string>;
  /** Signs the address of a download at `endpoint`, by default that of the requests. */
  signedAddress(get: SignedGet, endpoint?: string): Promise<string>;
  readonly timeoutMs: number;
  readonly attempts: number;
}

/** A refusal of the service, by its code such as "NoSuchKey" or "AccessDenied". Its text has no address and no signature. */
export class S3Error extends Error {
  override readonly name = "S3Error";
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number, text: string) {
    super(`The object store answered ${status} ${code}${text === "" ? "" : `: ${text}`}`);
    this.code = code;
    this.status = status;
  }
}

/** What caches may do with the answer of a signed address. */
const SIGNED_CACHE = "private, no-cache";
/** By default a minute. */
export const S3_TIMEOUT_MS = MINUTE_MS;
/** By default four repetitions within about three seconds. */
export const S3_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 200;
const PASSING = new Set([408, 429, 500, 502, 503, 504]);
/** Codes of status 400 for a connection that was too slow or broke. */
const PASSING_CODES = new Set(["RequestTimeout", "IncompleteBody"]);
/** Codes by status, for answers without a body such as those of HEAD. */
const CODES: Readonly<Record<number, string>> = {
  403: "AccessDenied",
  404: "NoSuchKey",
  412: "PreconditionFailed",
  416: "InvalidRange",
  500: "InternalError",
  503: "ServiceUnavailable",
};
const HINTS: Readonly<Record<string, string>> = {
  RequestTimeTooSkewed: "the clocks of this machine and of the object store differ by more than 15 minutes",
  SignatureDoesNotMatch: "the secret of the access key, or the host name or path of the endpoint, is wrong",
  InvalidAccessKeyId: "the object store does not know the access key",
  AccessDenied: "the access key is wrong or may not do this, or the clocks differ",
  NoSuchBucket: "the bucket does not exist",
};

/** Creates the requests of a bucket; sends nothing. Throws TypeError for an endpoint that is no address. */
export function s3Requests(connection: S3Connection): S3Requests {
  const { timeoutMs = S3_TIMEOUT_MS, attempts = S3_ATTEMPTS } = connection;
  /** Signing keys by day. */
  const cache = new Map<string, ArrayBuffer>();
  const signer = (url: URL, options: Partial<ConstructorParameters<typeof AwsV4Signer>[0]>) => {
    const { accessKeyId, secretAccessKey, region } = connection;
    return new AwsV4Signer({ url: url.href, accessKeyId, secretAccessKey, region, service: "s3", cache, ...options });
  };

  async function sendOnce({ method, key, query, headers, body }: S3Request): Promise<Response> {
    const url = addressOf(connection, connection.endpoint, key, query);
    const sum = body === undefined ? {} : { "x-amz-content-sha256": await sha256(body) };
    const signed = await signer(url, { method, headers: { ...headers, ...sum } }).sign();
    const response = await withinTime(
      timeoutMs,
      (signal) =>
        fetch(signed.url.href, {
          method,
          headers: signed.headers,
          redirect: "manual",
          signal,
          ...(body && { body: body as Uint8Array<ArrayBuffer> }),
        }),
      `The object store did not answer within ${timeoutMs} milliseconds`,
    );
    if (response.ok) return response;
    throw await errorOf(response);
  }

  const requests: S3Requests = {
    timeoutMs,
    attempts,
    send: (request) => repeated(attempts, () => sendOnce(request)),
    text: (request) =>
      repeated(attempts, async () => {
        const response = await sendOnce(request);
        const text = await withinTime(timeoutMs, () => response.text());
        // Some requests answer 200 before their work is done, and then with an error.
        if (/<Error>/.test(text.slice(0, 300))) throw errorIn(text, 500);
        return text;
      }),
    async signedAddress({ key, seconds, type, disposition }, endpoint = connection.endpoint) {
      const url = addressOf(connection, endpoint, key, {
        "X-Amz-Expires": String(seconds),
        "response-cache-control": SIGNED_CACHE,
        "response-content-disposition": disposition,
        "response-content-type": type,
      });
      const datetime = signingTime(seconds);
      return (await signer(url, { method: "GET", signQuery: true, datetime }).sign()).url.href;
    },
  };
  return requests;
}

/** Runs an attempt until it succeeds, or fails for a reason that stays. Throws ObjectStoreAway after the last attempt. */
export async function repeated<T>(attempts: number, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (attempt >= attempts) throw new ObjectStoreAway(messageOf(error), { cause: error });
    }
    await pause(attempt);
  }
}

/** Waits longer after each attempt, by a random part, so that many clients do not come back at once. */
export async function pause(attempt: number): Promise<void> {
  await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
}

/** Whether the same request may succeed later: errors of connections, and answers that say so. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof S3Error)) return true;
  return PASSING.has(error.status) || PASSING_CODES.has(error.code);
}

/** The begin of the half of the time that an address holds: within it the address stays the same, and browsers can revalidate. */
function signingTime(seconds: number): string {
  const windowMs = Math.max(1, Math.floor(seconds / 2)) * SECOND_MS;
  const begin = new Date(Math.floor(Date.now() / windowMs) * windowMs);
  return begin.toISOString().replace(/[-:]|\.\d{3}/g, "");
}

function addressOf(
  { bucket, virtualHost = false }: S3Connection,
  endpoint: string,
  key: string | undefined,
  query: Readonly<Record<string, string>> = {},
): URL {
  const url = new URL(endpoint);
  const parts = key === undefined ? [] : key.split("/");
  if (virtualHost) url.hostname = `${bucket}.${url.hostname}`;
  else parts.unshift(bucket);
  const base = trimEndChars(url.pathname, "/");
  url.pathname = `${base}/${parts.map(encoded).join("/")}`;
  url.search = new URLSearchParams(query).toString();
  return url;
}

/** Encodes all but what RFC 3986 leaves as it is, which signatures are computed over. */
function encoded(part: string): string {
  return encodeURIComponent(part).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

async function sha256(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)).toString("hex");
}

async function errorOf(response: Response): Promise<S3Error> {
  const text = await withinTime(S3_TIMEOUT_MS, () => response.text());
  return errorIn(text, response.status);
}

function errorIn(xml: string, status: number): S3Error {
  const code = textOf(xml, "Code") ?? CODES[status] ?? "UnknownError";
  return new S3Error(code, status, HINTS[code] ?? textOf(xml, "Message") ?? "");
}
