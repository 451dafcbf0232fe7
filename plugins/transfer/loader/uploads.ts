/**
 * Uploads the images that pages show: each file once, to the gallery of the first page that shows it; a changed file replaces
 * the image at the same address. A rejected image is reported, and its link is left as written.
 */
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ApiClient, Json } from "lectern/cli";
import { createOnce, newestId, numberOf, PATHS, rowsOf } from "./create_once.ts";
import { cut } from "./read_page.ts";
import type { Tally } from "./report.ts";
import { hashOfBytes, type LoadState } from "./state.ts";

/** The API's limit of image names in characters (content-api 12). */
const MAX_IMAGE_NAME = 180;
const PAGE_SIZE = 500;

/** What uploading requires of a run. */
export interface UploaderOptions {
  readonly root: string;
  readonly files: ReadonlySet<string>;
  readonly client: ApiClient;
  readonly state: LoadState;
  readonly tally: Tally;
  /** Runs work, reporting and counting its failure. */
  guard(what: string, work: () => Promise<void>): Promise<void>;
}

/** Uploads images of a folder. */
export class ImageUploader {
  readonly #options: UploaderOptions;
  readonly #done = new Map<string, Promise<void>>();
  #existing: ReadonlySet<number> = new Set();
  #newestId = 0;

  constructor(options: UploaderOptions) {
    this.#options = options;
  }

  /** Reads which images the server has. Throws AnswerError. */
  async open(): Promise<void> {
    const { client, files, state } = this.#options;
    if (files.size === 0) return;
    this.#newestId = await newestId(client, "image");
    const known = [...files].some((path) => state.get(path)?.id !== undefined);
    const existing = new Set<number>();
    for (let offset = 0; known; offset += PAGE_SIZE) {
      const rows: Json[] = rowsOf(await client.get(`${PATHS.image}?sort=id&count=${PAGE_SIZE}&offset=${offset}`));
      for (const row of rows) existing.add(numberOf(row.id));
      if (rows.length < PAGE_SIZE) break;
    }
    this.#existing = existing;
  }

  /** Whether a path is an image of the folder. */
  has(path: string): boolean {
    return this.#options.files.has(path);
  }

  /** The address of an uploaded image. */
  addressOf(path: string): string | undefined {
    return this.#options.state.get(path)?.url;
  }

  /** Uploads the images that a page shows. */
  async upload(paths: readonly string[], pageId: number): Promise<void> {
    for (const path of new Set(paths)) {
      const known = this.#done.get(path);
      const work = known ?? this.#options.guard(path, () => this.#send(path, pageId));
      if (!known) this.#done.set(path, work);
      await work;
    }
  }

  async #send(path: string, pageId: number): Promise<void> {
    const { client, root, state, tally } = this.#options;
    const bytes = await readFile(join(root, path));
    const hash = hashOfBytes(bytes);
    const entry = state.get(path);
    const name = cut(basename(path), MAX_IMAGE_NAME);
    const file = new File([bytes], name, { type: typeOf(path) });
    if (entry?.id !== undefined && entry.url !== undefined && this.#existing.has(entry.id)) {
      if (entry.hash === hash) {
        tally.skipped += 1;
        return;
      }
      await client.put(`${PATHS.image}/${entry.id}`, formOf({ _method: "PUT", image: file }));
      await state.set(path, { ...entry, hash });
      tally.updated += 1;
      return;
    }
    const body = formOf({ type: "gallery", uploaded_to: String(pageId), name, image: file });
    await createOnce(
      client,
      state,
      { kind: "image", path, name, body, parent: { uploaded_to: pageId } },
      this.#newestId,
    );
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
