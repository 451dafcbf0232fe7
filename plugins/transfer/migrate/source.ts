/**
 * The server that is copied from, over its API alone. Listings are walked by id and not by offset, so that what is added
 * or removed meanwhile moves nothing. What a server does not have, or does not show to the token, is told apart from
 * what fails: the first is missing for the whole run and is reported once.
 */
import { AnswerError, type ApiClient, type Json, serverUrlOf } from "lectern/cli";
import type { OutgoingFetch } from "lectern/core";
import { idIn, listOf, textOf } from "./values.ts";

/** Rows that are asked for at once; a server may give fewer. */
const COUNT = 500;

/** What a source is made of. */
export interface SourceParts {
  readonly client: ApiClient;
  /** The address it is asked at, without a final slash. */
  readonly baseUrl: string;
  /** Other addresses it goes by or went by, as the operator says. */
  readonly aliases: readonly string[];
  /** For pictures that it keeps on another server. */
  readonly fetch: OutgoingFetch;
}

/** A server of this API. */
export class Source {
  readonly #parts: SourceParts;
  /** The hosts it goes by: the one it is asked at, and the one it gives itself. */
  readonly #hosts: Set<string>;
  /** Whether pictures can be had by number, which older servers do not know. */
  #picturesByNumber = true;

  constructor(parts: SourceParts) {
    this.#parts = parts;
    this.#hosts = new Set([parts.baseUrl, ...parts.aliases].map((base) => new URL(base).host));
  }

  /** Facts about the server; empty where it is too old to tell. Throws AnswerError where it does not let us in. */
  async facts(): Promise<{ readonly bases: readonly string[]; readonly version: string; readonly instance: string }> {
    const facts = (await this.optional("/api/system")) ?? {};
    const { baseUrl, aliases } = this.#parts;
    const declared = serverUrlOf(textOf(facts.base_url)) ?? (await this.#baseOfPictures()) ?? baseUrl;
    this.#hosts.add(new URL(declared).host);
    const bases = [...new Set([baseUrl, declared, ...aliases])];
    return { bases, version: textOf(facts.version), instance: textOf(facts.instance_id) };
  }

  /** An older server tells its own address with each picture alone. */
  async #baseOfPictures(): Promise<string | undefined> {
    const [picture = {}] = listOf((await this.optional("/api/image-gallery?count=1"))?.data);
    const [url, path] = [textOf(picture.url), textOf(picture.path)];
    return path !== "" && url.endsWith(path) ? serverUrlOf(url.slice(0, -path.length)) : undefined;
  }

  /** Everything of a listing, by id. Throws AnswerError. */
  async all(segment: string): Promise<Json[]> {
    const found: Json[] = [];
    for (let last = 0; ; ) {
      const answer = await this.#parts.client.get(
        `/api/${segment}?count=${COUNT}&sort=id&${encodeURIComponent("filter[id:gt]")}=${last}`,
      );
      const rows = listOf(answer.data).filter((row) => (idIn(row) ?? 0) > last);
      found.push(...rows);
      // The total is that of the rows behind the last one.
      if (rows.length === 0 || rows.length === answer.total) return found;
      last = Math.max(...rows.map((row) => idIn(row) ?? 0));
    }
  }

  /** The same, undefined where the token may not list it or the server does not know it. */
  async allIfShown(segment: string): Promise<Json[] | undefined> {
    return refusedAs(undefined, () => this.all(segment));
  }

  /** The id of the first item of a listing; undefined where there is none. */
  async first(segment: string): Promise<number | undefined> {
    return idIn(listOf((await this.#parts.client.get(`/api/${segment}?count=1&sort=id`)).data)[0]);
  }

  /** An item in full; undefined where it has gone. Throws AnswerError. */
  async read(segment: string, id: number): Promise<Json | undefined> {
    return refusedAs(undefined, () => this.#parts.client.get(`/api/${segment}/${id}`), [404]);
  }

  /** An answer, undefined where the token may not have it or the server does not know it. */
  async optional(path: string): Promise<Json | undefined> {
    return refusedAs(undefined, () => this.#parts.client.get(path));
  }

  /** Content permissions of an item; none where it has gone. Throws AnswerError. */
  async permissions(kind: string, id: number): Promise<Json> {
    return refusedAs({}, () => this.#parts.client.get(`/api/content-permissions/${kind}/${id}`), [404]);
  }

  /** The bytes of an attachment, which come as base64 within its answer. Throws AnswerError. */
  async attachment(id: number): Promise<{ link: string } | { file: Uint8Array<ArrayBuffer> }> {
    const answer = await this.#parts.client.get(`/api/attachments/${id}`, FILE_MS);
    const content = textOf(answer.content);
    if (answer.external === true) return { link: content };
    return { file: new Uint8Array(Buffer.from(content, "base64")) };
  }

  /** The bytes of a picture. A cover has no number under which it could be had. Throws AnswerError. */
  async picture(url: string, id?: number): Promise<Uint8Array<ArrayBuffer>> {
    const { client } = this.#parts;
    if (id !== undefined && this.#picturesByNumber) {
      const bytes = await refusedAs(undefined, () => client.bytes(`/api/image-gallery/${id}/data`), [404, 405]);
      if (bytes) return bytes;
      this.#picturesByNumber = false;
    }
    const path = pathAt(url, this.#hosts);
    if (path === undefined) return this.#elsewhere(url);
    return (
      (await refusedAs(undefined, () => client.bytes(path), [400, 401, 403, 404])) ??
      client.bytes(`/api/image-gallery/url/data?url=${encodeURIComponent(url)}`)
    );
  }

  /** Without the token, which is nobody else's; private addresses stay closed as to all outgoing calls. */
  async #elsewhere(url: string): Promise<Uint8Array<ArrayBuffer>> {
    try {
      const response = await this.#parts.fetch(url, { signal: AbortSignal.timeout(FILE_MS) });
      if (!response.ok) throw new Error(`it answers ${response.status}`);
      return new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      throw new AnswerError(404, `Cannot fetch "${url}": ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }
}

const FILE_MS = 600_000;

/** The path of a picture below the server we ask, whatever name the server gives itself; undefined for other servers. */
function pathAt(url: string, hosts: ReadonlySet<string>): string | undefined {
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

async function refusedAs<T, N>(
  instead: N,
  ask: () => Promise<T>,
  statuses: readonly number[] = [403, 404],
): Promise<T | N> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AnswerError && statuses.includes(error.status)) return instead;
    throw error;
  }
}
