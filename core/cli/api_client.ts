/**
 * A client of the API over HTTP, for commands that talk to a server in long runs. When a rate limit is reached, all workers
 * wait; server errors and broken connections are retried with growing pauses. Before a request that creates something is
 * retried, its caller looks whether the server has created it already. Redirects are not followed, since they would send
 * the token elsewhere and turn POST into GET. No error message contains the token.
 */
import { MINUTE_MS, SECOND_MS } from "../std/time.ts";
import { trimEndChars } from "../std/trim_chars.ts";

/** Attempts of a request before a server error or a broken connection is reported. */
export const MAX_TRIES = 6;
/** The pause before the second attempt, in milliseconds; it doubles with each attempt. */
export const FIRST_PAUSE_MS = 500;
/** The longest pause between two attempts, in milliseconds. */
export const LONGEST_PAUSE_MS = 15_000;
/** The maximum wait after a 429, whatever its `Retry-After`, in milliseconds. */
export const LONGEST_WAIT_MS = 5 * MINUTE_MS;
/** The wait after a 429 without `Retry-After`, in milliseconds. */
export const UNNAMED_WAIT_MS = 10_000;
/** Attempts of a request that are answered 429 before that is reported. */
export const MAX_WAITS = 100;
/** Timeout of a response, in milliseconds. */
export const ANSWER_TIMEOUT_MS = MINUTE_MS;
/** Timeout of the download of a file, in milliseconds. */
export const FILE_TIMEOUT_MS = 10 * MINUTE_MS;

/** A JSON object of a response. */
export type Json = Readonly<Record<string, unknown>>;

/** Options of a client. */
export interface ApiClientOptions {
  /** Without `/api` and trailing slash. */
  readonly baseUrl: string;
  /** `ID:SECRET`. */
  readonly token: string;
  /** Resolves after a number of milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Called with a message when the run has to wait. */
  readonly say: (line: string) => void;
}

/** A response that is no success; status 0 means that there was none. */
export class AnswerError extends Error {
  readonly status: number;
  /** Whether the cause is the server, the token or the network, and not the request. */
  readonly outage: boolean;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
    this.outage = status === 0 || status === 401 || status >= 500;
  }
}

/** A request, and how its response is read; `read` returns failures as AnswerError. */
interface ApiRequest<T> {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly timeoutMs: number;
  read(response: Response): Promise<T | AnswerError>;
  /** What an earlier attempt may have created. */
  found(): Promise<T | undefined>;
}

/** A client of one server. */
export class ApiClient {
  readonly #options: ApiClientOptions;
  #blockedUntil = 0;

  constructor(options: ApiClientOptions) {
    this.#options = options;
  }

  /** Reads a path, which begins with `/api`. A server of another version may answer otherwise: values are checked where they are used. Throws AnswerError. */
  get(path: string, timeoutMs = ANSWER_TIMEOUT_MS): Promise<Json> {
    return this.#request(json("GET", path, undefined, timeoutMs));
  }

  /** Reads a file; the path begins with a slash. Throws AnswerError. */
  bytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const read = async (response: Response) =>
      response.ok ? new Uint8Array(await response.arrayBuffer()) : failure(response, "GET", path);
    return this.#request({ method: "GET", path, timeoutMs: FILE_TIMEOUT_MS, read, found: nothing });
  }

  /** Updates, by JSON; a form with files is sent as a POST with the field `_method`. Throws AnswerError. */
  put(path: string, body: object): Promise<Json> {
    return this.#request(json(body instanceof FormData ? "POST" : "PUT", path, body));
  }

  /**
   * Creates, by JSON or a form with files. Before each further attempt, `found` looks for what an earlier one created.
   * Throws AnswerError.
   */
  post(path: string, body: object, found: () => Promise<Json | undefined>): Promise<Json> {
    return this.#request({ ...json("POST", path, body), found });
  }

  async #request<T>(request: ApiRequest<T>): Promise<T> {
    let waits = 0;
    for (let attempts = 1; ; ) {
      await this.#waitForLimit();
      const answer = await this.#send(request);
      if (!(answer instanceof AnswerError)) return answer;
      if (answer.status === 429 && ++waits <= MAX_WAITS) continue;
      const mayRetry = answer.status === 0 || answer.status >= 500;
      if (!mayRetry || ++attempts > MAX_TRIES) throw answer;
      await this.#options.sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 2)));
      const earlier = await request.found();
      if (earlier !== undefined) return earlier;
    }
  }

  async #waitForLimit(): Promise<void> {
    let waited = 0;
    while (this.#blockedUntil > Math.max(waited, Date.now())) {
      waited = this.#blockedUntil;
      await this.#options.sleep(waited - Date.now());
    }
  }

  async #send<T>({ method, path, body, timeoutMs, read }: ApiRequest<T>): Promise<T | AnswerError> {
    const { baseUrl, token } = this.#options;
    try {
      const response = await fetch(baseUrl + path, {
        method,
        headers: {
          authorization: `Token ${token}`,
          accept: "application/json",
          ...(body && !(body instanceof FormData) ? { "content-type": "application/json" } : {}),
        },
        ...(body ? { body: body instanceof FormData ? body : JSON.stringify(body) } : {}),
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (response.status === 429) this.#block(response.headers.get("retry-after"));
      return await read(response);
    } catch (cause) {
      return new AnswerError(
        0,
        `${method} ${path} got no answer from "${baseUrl}": ${cause instanceof Error ? cause.message : String(cause)}`,
      );
    }
  }

  #block(retryAfter: string | null): void {
    const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
    const named = Number.isFinite(seconds) ? seconds * SECOND_MS : Date.parse(retryAfter ?? "") - Date.now();
    const wait = Math.min(LONGEST_WAIT_MS, Math.max(0, Number.isFinite(named) ? named : UNNAMED_WAIT_MS));
    if (Date.now() + wait <= this.#blockedUntil) return;
    if (this.#blockedUntil < Date.now())
      this.#options.say(`The rate limit of the server is reached: waiting ${Math.ceil(wait / SECOND_MS)} s`);
    this.#blockedUntil = Date.now() + wait;
  }
}

function json(method: string, path: string, body?: object, timeoutMs = ANSWER_TIMEOUT_MS): ApiRequest<Json> {
  const read = (response: Response) => readJson(response, method, path);
  return { method, path, timeoutMs, read, found: nothing, ...(body && { body }) };
}

async function nothing(): Promise<undefined> {}

async function readJson(response: Response, method: string, path: string): Promise<Json | AnswerError> {
  if (!response.ok) return failure(response, method, path);
  return (
    parse(await response.text()) ??
    new AnswerError(
      400,
      `${method} ${path} answers ${response.status} without JSON: is the base URL that of the server?`,
    )
  );
}

async function failure(response: Response, method: string, path: string): Promise<AnswerError> {
  const text = await response.text();
  const location = response.headers.get("location");
  if (location !== null)
    return new AnswerError(
      400,
      `${method} ${path} is redirected to "${location}": give the base URL the server itself uses`,
    );
  return new AnswerError(response.status, `${method} ${path} answers ${response.status}${reasonOf(parse(text))}`);
}

function parse(text: string): Json | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Json) : undefined;
  } catch {
    return undefined;
  }
}

/** The message of the server; for a validation error, the errors of each field. */
function reasonOf(json: Json | undefined): string {
  const error = json?.error;
  if (typeof error === "string") return `: ${error}`;
  if (typeof error !== "object" || error === null) return "";
  const { message, validation } = error as { message?: unknown; validation?: unknown };
  const fields = typeof validation === "object" && validation !== null ? Object.entries(validation) : [];
  const details = fields.map(([field, texts]) => `field "${field}": ${[texts].flat().join(" ")}`);
  return `: ${details.length > 0 ? details.join("; ") : String(message)}`;
}

/** The base URL of a server for the client, without `/api`; undefined if the text is no HTTP URL. */
export function serverUrlOf(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return trimEndChars(`${url.origin}${url.pathname}`, "/").replace(/\/api$/, "");
}
