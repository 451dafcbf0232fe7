/**
 * Uploads the files that pages show or link to: each once, images to the gallery and others as attachments of the first such
 * page; a changed file replaces the former one at the same address. A rejected file is reported, and its link is left as
 * written.
 */
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ApiClient, Json } from "lectern/cli";
import { createOnce, newestId, numberOf, PATHS, rowsOf } from "./create_once.ts";
import { cut } from "./read_page.ts";
import type { Tally } from "./report.ts";
import { hashOfBytes, type LoadState } from "./state.ts";

/** The API's limits of names in characters (content-api 11, 12). */
const MAX_NAMES = { image: 180, attachment: 255 } as const;
const PAGE_SIZE = 500;

/** What uploading requires of a run. */
export interface UploaderOptions {
  readonly kind: keyof typeof MAX_NAMES;
  readonly root: string;
  readonly files: ReadonlySet<string>;
  readonly client: ApiClient;
  readonly state: LoadState;
  readonly tally: Tally;
  /** The base URL of the server, which addresses of attachments begin with. */
  siteUrl(): string;
  /** Runs work, reporting and counting its failure. */
  guard(what: string, work: () => Promise<void>): Promise<void>;
}

/** Uploads files of a folder. */
export class Uploader {
  readonly #options: UploaderOptions;
  readonly #done = new Map<string, Promise<void>>();
  #existing: ReadonlySet<number> = new Set();
  #newestId = 0;

  constructor(options: UploaderOptions) {
    this.#options = options;
  }

  /** Reads which of the files the server has. Throws AnswerError. */
  async open(): Promise<void> {
    const { client, files, kind, state } = this.#options;
    if (files.size === 0) return;
    this.#newestId = await newestId(client, kind);
    const known = [...files].some((path) => state.get(path)?.id !== undefined);
    const existing = new Set<number>();
    for (let offset = 0; known; offset += PAGE_SIZE) {
      const rows: Json[] = rowsOf(await client.get(`${PATHS[kind]}?sort=id&count=${PAGE_SIZE}&offset=${offset}`));
      for (const row of rows) existing.add(numberOf(row.id));
      if (rows.length < PAGE_SIZE) break;
    }
    this.#existing = existing;
  }

  /** Whether a path is such a file of the folder. */
  has(path: string): boolean {
    return this.#options.files.has(path);
  }

  /** The address of an uploaded file. */
  addressOf(path: string): string | undefined {
    const { kind, siteUrl, state } = this.#options;
    const entry = state.get(path);
    if (kind === "image" || entry?.id === undefined) return entry?.url;
    return `${siteUrl()}/attachments/${entry.id}`;
  }

  /** Uploads the files that a page shows or links to. */
  async upload(paths: readonly string[], pageId: number): Promise<void> {
    for (const path of new Set(paths)) {
      const known = this.#done.get(path);
      const work = known ?? this.#options.guard(path, () => this.#send(path, pageId));
      if (!known) this.#done.set(path, work);
      await work;
    }
  }

  async #send(path: string, pageId: number): Promise<void> {
    const { client, kind, root, state, tally } = this.#options;
    const bytes = await readFile(join(root, path));
    const hash = hashOfBytes(bytes);
    const entry = state.get(path);
    const name = cut(basename(path), MAX_NAMES[kind]);
    const isImage = kind === "image";
    const file = new File([bytes], isImage ? name : basename(path), isImage ? { type: typeOf(path) } : {});
    if (entry?.id !== undefined && this.addressOf(path) !== undefined && this.#existing.has(entry.id)) {
      if (entry.hash === hash) {
        tally.skipped += 1;
        return;
      }
      await client.put(`${PATHS[kind]}/${entry.id}`, formOf({ _method: "PUT", [isImage ? "image" : "file"]: file }));
      await state.set(path, { ...entry, hash });
      tally.updated += 1;
      return;
    }
    const fields = { uploaded_to: String(pageId), name };
    const body = formOf(isImage ? { type: "gallery", ...fields, image: file } : { ...fields, file });
    await createOnce(client, state, { kind, path, name, body, parent: { uploaded_to: pageId } }, this.#newestId);
    const created = state.get(path);
    if (created) await state.set(path, { ...created, hash });
    tally.created += 1;
  }
}

function formOf(fields: Readonly<Record<string, string | File>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

function typeOf(path: string): string {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return `image/${ending === "jpg" ? "jpeg" : ending}`;
}
