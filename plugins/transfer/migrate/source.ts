/**
 * The server that is copied from, accessed only through its API. Listings are paged by id instead of by offset, so that
 * concurrent changes skip nothing. What a server lacks, or hides from the token, is distinguished from failures: it is missing
 * for the whole run and reported once.
 */
import { AnswerError, type ApiClient, type Json, serverUrlOf } from "lectern/cli";
import type { OutgoingFetch } from "lectern/core";
import { MINUTE_MS } from "lectern/core";
import type { SeenActivity } from "./state.ts";
import { idIn, listOf, textOf } from "./values.ts";

/** Rows per request; a server may return fewer. */
const PAGE_SIZE = 500;

/** Options of a source. */
export interface SourceOptions {
  readonly client: ApiClient;
  /** The base URL of requests, without a final slash. */
  readonly baseUrl: string;
  /** Other base URLs, current or former, that the operator gave. */
  readonly aliases: readonly string[];
  /** Fetches images that it stores on another server. */
  readonly fetch: OutgoingFetch;
}

/** What a source says about itself; version and instance are "" for older servers. */
export interface SourceFacts {
  readonly bases: readonly string[];
  /** The base URL that its texts have. */
  readonly declared: string;
  readonly version: string;
  readonly instance: string;
}

/** A part of a listing. */
interface Part {
  /** A filter as it stands in the query. */
  readonly filter?: string;
  /** The id after which rows are read. */
  readonly after?: number;
}

/** A server of this API. */
export class Source {
  readonly #options: SourceOptions;
  /** Its hosts: that of requests, those of the aliases, and that of its own base URL. */
  readonly #hosts: Set<string>;
  /** Whether images can be fetched by id, which older servers do not support. */
  #hasImageData = true;

  constructor(options: SourceOptions) {
    this.#options = options;
    this.#hosts = new Set([options.baseUrl, ...options.aliases].map((base) => new URL(base).host));
  }

  /** Its base URLs, version and instance id. Throws AnswerError where access is denied. */
  async facts(): Promise<SourceFacts> {
    const facts = await this.optional("/api/system");
    const { baseUrl, aliases } = this.#options;
    const declared = serverUrlOf(textOf(facts?.base_url)) ?? (await this.#baseOfImages()) ?? baseUrl;
    this.#hosts.add(new URL(declared).host);
    const bases = [...new Set([baseUrl, declared, ...aliases])];
    return { bases, declared, version: textOf(facts?.version), instance: textOf(facts?.instance_id) };
  }

  /** The base URL of an older server, which only the addresses of its images show. */
  async #baseOfImages(): Promise<string | undefined> {
    const [image = {}] = listOf((await this.optional("/api/image-gallery?count=1"))?.data);
    const [url, path] = [textOf(image.url), textOf(image.path)];
    return path !== "" && url.endsWith(path) ? serverUrlOf(url.slice(0, -path.length)) : undefined;
  }

  /** All rows of a listing, by id, or those that a filter of the query admits after an id. Throws AnswerError. */
  async all(segment: string, { filter = "", after = 0 }: Part = {}): Promise<Json[]> {
    const found: Json[] = [];
    for (let last = Math.max(0, after); ; ) {
      const answer = await this.#options.client.get(
        `/api/${segment}?count=${PAGE_SIZE}&sort=id&${encodeURIComponent("filter[id:gt]")}=${last}${filter === "" ? "" : `&${filter}`}`,
      );
      const rows = listOf(answer.data).filter((row) => (idIn(row) ?? 0) > last);
      found.push(...rows);
      // The total counts the rows after the last id.
      if (rows.length === 0 || rows.length === answer.total) return found;
      last = Math.max(...rows.map((row) => idIn(row) ?? 0));
    }
  }

  /** The same; undefined where the token may not list it or the server lacks it. */
  async allIfReadable(segment: string, part?: Part): Promise<Json[] | undefined> {
    return orOnStatus(undefined, () => this.all(segment, part));
  }

  /** The newest row of the audit log; undefined where there is none or the token may not read it. Throws AnswerError. */
  async newestActivity(): Promise<Omit<SeenActivity, "seen"> | undefined> {
    const [row] = listOf((await this.optional("/api/audit-log?count=1&sort=-id"))?.data);
    const id = idIn(row);
    return id === undefined ? undefined : { id, at: textOf(row?.created_at) };
  }

  /** Whether the audit log still has a row. Throws AnswerError. */
  async hasActivity({ id, at }: SeenActivity): Promise<boolean> {
    const rows = listOf((await this.optional(`/api/audit-log?${encodeURIComponent("filter[id]")}=${id}`))?.data);
    return rows.some((row) => idIn(row) === id && textOf(row.created_at) === at);
  }

  /** The id of the first item of a listing; undefined for none. */
  async first(segment: string): Promise<number | undefined> {
    return idIn(listOf((await this.#options.client.get(`/api/${segment}?count=1&sort=id`)).data)[0]);
  }

  /** An item in full; undefined where it was deleted. Throws AnswerError. */
  async read(segment: string, id: number): Promise<Json | undefined> {
    return orOnStatus(undefined, () => this.#options.client.get(`/api/${segment}/${id}`), [404]);
  }

  /** The response of a path; undefined where the token may not read it or the server lacks it. */
  async optional(path: string): Promise<Json | undefined> {
    return orOnStatus(undefined, () => this.#options.client.get(path));
  }

  /** Content permissions of an item; empty where it was deleted. Throws AnswerError. */
  async permissions(kind: string, id: number): Promise<Json> {
    return orOnStatus({}, () => this.#options.client.get(`/api/content-permissions/${kind}/${id}`), [404]);
  }

  /** An attachment's link, or its bytes, which are base64 within the response. Throws AnswerError. */
  async attachment(id: number): Promise<{ link: string } | { file: Uint8Array<ArrayBuffer> }> {
    const answer = await this.#options.client.get(`/api/attachments/${id}`, FILE_TIMEOUT_MS);
    const content = textOf(answer.content);
    if (answer.external === true) return { link: content };
    return { file: new Uint8Array(Buffer.from(content, "base64")) };
  }

  /** The bytes of an image; covers have no id that they could be fetched by. Throws AnswerError. */
  async image(url: string, id?: number): Promise<Uint8Array<ArrayBuffer>> {
    const { client } = this.#options;
    if (id !== undefined && this.#hasImageData) {
      const bytes = await orOnStatus(undefined, () => client.bytes(`/api/image-gallery/${id}/data`), [404, 405]);
      if (bytes) return bytes;
      this.#hasImageData = false;
    }
    const path = imagePathAt(url, this.#hosts);
    if (path === undefined) return this.#fetchElsewhere(url);
    return (
      (await orOnStatus(undefined, () => client.bytes(path), [400, 401, 403, 404])) ??
      client.bytes(`/api/image-gallery/url/data?url=${encodeURIComponent(url)}`)
    );
  }

  /** Fetches from another server, without the token; private addresses are blocked as for all outgoing requests. */
  async #fetchElsewhere(url: string): Promise<Uint8Array<ArrayBuffer>> {
    try {
      const response = await this.#options.fetch(url, { signal: AbortSignal.timeout(FILE_TIMEOUT_MS) });
      if (!response.ok) throw new Error(`the server answers ${response.status}`);
      return new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      throw new AnswerError(404, `Cannot fetch "${url}": ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }
}

const FILE_TIMEOUT_MS = 10 * MINUTE_MS;

/** The path of an image on the source, under any of its hosts; undefined for other servers. */
function imagePathAt(url: string, hosts: ReadonlySet<string>): string | undefined {
  const folder = url.indexOf("/uploads/images/");
  const isOwn = url.startsWith("/") || (URL.canParse(url) && hosts.has(new URL(url).host));
  return isOwn && folder >= 0 ? encodeURI(decodedPath(url.slice(folder))) : undefined;
}

function decodedPath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

async function orOnStatus<T, N>(
  fallback: N,
  request: () => Promise<T>,
  statuses: readonly number[] = [403, 404],
): Promise<T | N> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof AnswerError && statuses.includes(error.status)) return fallback;
    throw error;
  }
}
