/**
 * Asks a server of this API over HTTP, for commands that talk to another one, and puts up with what a long run meets: a
 * full rate limit is waited out for all workers at once, server errors and broken connections are tried again with
 * growing pauses. A request that creates is never simply repeated: its sender is asked first whether the server has it
 * already. Redirects are not followed, since they would carry the token elsewhere and turn POST into GET. No message
 * holds the token.
 */
/** How often a request is sent before a server error or a broken connection counts. */
export const MAX_TRIES = 6;
/** The pause before the second try, in milliseconds; it doubles up to the longest. */
export const FIRST_PAUSE_MS = 500;
/** The longest pause between two tries, in milliseconds. */
export const LONGEST_PAUSE_MS = 15_000;
/** The longest a `Retry-After` is obeyed, in milliseconds. */
export const LONGEST_WAIT_MS = 300_000;
/** The wait after a 429 that names none, in milliseconds. */
export const UNNAMED_WAIT_MS = 10_000;
/** How often one request is sent into a full rate limit. */
export const MAX_WAITS = 100;
/** How long an answer may take, in milliseconds. */
export const ANSWER_TIMEOUT_MS = 60_000;
/** How long a file may take that comes as an answer, in milliseconds. */
export const FILE_TIMEOUT_MS = 600_000;

/** A JSON object as the server sent it. */
export type Json = Readonly<Record<string, unknown>>;

/** What a client needs. */
export interface ApiClientOptions {
  /** Without `/api` and final slash. */
  readonly baseUrl: string;
  /** `ID:SECRET`. */
  readonly token: string;
  /** Waits so many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Told when the run has to wait. */
  readonly say: (line: string) => void;
}

/** An answer that is no success; status 0 stands for no answer at all. */
export class AnswerError extends Error {
  readonly status: number;
  /** Whether nothing is said about the request, only about the server, the token or the way there. */
  readonly outage: boolean;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
    this.outage = status === 0 || status === 401 || status >= 500;
  }
}

/** What is asked, and how an answer is read; what `read` returns as AnswerError is one. */
interface Question<T> {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly timeoutMs: number;
  read(response: Response): Promise<T | AnswerError>;
  /** What an earlier try may have created. */
  found(): Promise<T | undefined>;
}

/** A client of one server. */
export class ApiClient {
  readonly #options: ApiClientOptions;
  #closedUntil = 0;

  constructor(options: ApiClientOptions) {
    this.#options = options;
  }

  /** Reads; the path begins with `/api`. Throws AnswerError. */
  get(path: string, timeoutMs = ANSWER_TIMEOUT_MS): Promise<Json> {
    return this.#ask(json("GET", path, undefined, timeoutMs));
  }

  /** Reads a file; the path begins with a slash. Throws AnswerError. */
  bytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const read = async (response: Response) =>
      response.ok ? new Uint8Array(await response.arrayBuffer()) : refused(response, "GET", path);
    return this.#ask({ method: "GET", path, timeoutMs: FILE_TIMEOUT_MS, read, found: nothing });
  }

  /** Updates, by JSON; a form with files goes as a POST that says `_method`. Throws AnswerError. */
  put(path: string, body: object): Promise<Json> {
    return this.#ask(json(body instanceof FormData ? "POST" : "PUT", path, body));
  }

  /**
   * Creates, by JSON or a form with files. `found` looks, before each further try, for what an earlier one created.
   * Throws AnswerError.
   */
  post(path: string, body: object, found: () => Promise<Json | undefined>): Promise<Json> {
    return this.#ask({ ...json("POST", path, body), found });
  }

  async #ask<T>(question: Question<T>): Promise<T> {
    let waits = 0;
    for (let tries = 1; ; ) {
      await this.#gate();
      const answer = await this.#send(question);
      if (!(answer instanceof AnswerError)) return answer;
      if (answer.status === 429 && ++waits <= MAX_WAITS) continue;
      const again = answer.status === 0 || answer.status >= 500;
      if (!again || ++tries > MAX_TRIES) throw answer;
      await this.#options.sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 2)));
      const earlier = await question.found();
      if (earlier !== undefined) return earlier;
    }
  }

  async #gate(): Promise<void> {
    let waited = 0;
    while (this.#closedUntil > Math.max(waited, Date.now())) {
      waited = this.#closedUntil;
      await this.#options.sleep(waited - Date.now());
    }
  }

  async #send<T>({ method, path, body, timeoutMs, read }: Question<T>): Promise<T | AnswerError> {
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
      if (response.status === 429) this.#close(response.headers.get("retry-after"));
      return await read(response);
    } catch (cause) {
      return new AnswerError(
        0,
        `${method} ${path} got no answer from "${baseUrl}": ${cause instanceof Error ? cause.message : String(cause)}`,
      );
    }
  }

  #close(retryAfter: string | null): void {
    const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
    const named = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter ?? "") - Date.now();
    const wait = Math.min(LONGEST_WAIT_MS, Math.max(0, Number.isFinite(named) ? named : UNNAMED_WAIT_MS));
    if (Date.now() + wait <= this.#closedUntil) return;
    if (this.#closedUntil < Date.now())
      this.#options.say(`The rate limit of the server is reached: waiting ${Math.ceil(wait / 1000)} s`);
    this.#closedUntil = Date.now() + wait;
  }
}

function json(method: string, path: string, body?: object, timeoutMs = ANSWER_TIMEOUT_MS): Question<Json> {
  const read = (response: Response) => judge(response, method, path);
  return { method, path, timeoutMs, read, found: nothing, ...(body && { body }) };
}

async function nothing(): Promise<undefined> {}

async function judge(response: Response, method: string, path: string): Promise<Json | AnswerError> {
  if (!response.ok) return refused(response, method, path);
  return (
    parse(await response.text()) ??
    new AnswerError(
      400,
      `${method} ${path} answers ${response.status} without JSON: is the base URL that of the server?`,
    )
  );
}

async function refused(response: Response, method: string, path: string): Promise<AnswerError> {
  const text = await response.text();
  const place = response.headers.get("location");
  if (place !== null)
    return new AnswerError(
      400,
      `${method} ${path} is redirected to "${place}": give the base URL the server itself uses`,
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

/** The server's own words: its message, and for a refused body each field with its texts. */
function reasonOf(json: Json | undefined): string {
  const error = json?.error;
  if (typeof error === "string") return `: ${error}`;
  if (typeof error !== "object" || error === null) return "";
  const { message, validation } = error as { message?: unknown; validation?: unknown };
  const fields = typeof validation === "object" && validation !== null ? Object.entries(validation) : [];
  const details = fields.map(([field, texts]) => `field "${field}": ${[texts].flat().join(" ")}`);
  return `: ${details.length > 0 ? details.join("; ") : String(message)}`;
}

/** The base URL of a server as the client wants it, without `/api`; undefined for what is no HTTP address. */
export function serverUrlOf(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/\/api$/, "");
}
