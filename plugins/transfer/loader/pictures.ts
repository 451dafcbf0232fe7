/**
 * Pictures that pages show: each file goes to the gallery once, with the first page that shows it, and again when it has
 * changed, under the address it has. What the server refuses is told, and its page shows what was written.
 */
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ApiClient, Json } from "lectern/cli";
import { make, newestId, numberOf, PATHS, rowsOf } from "./make.ts";
import { cut } from "./page_text.ts";
import type { Tally } from "./report.ts";
import { hashOfBytes, type LoadState } from "./state.ts";

/** The API's limit of a picture's name, in characters (content-api 12). */
const MAX_PICTURE_NAME = 180;
const LISTED = 500;

/** What sending pictures needs of a run. */
export interface PictureParts {
  readonly root: string;
  readonly files: ReadonlySet<string>;
  readonly client: ApiClient;
  readonly state: LoadState;
  readonly tally: Tally;
  /** Runs work whose failure is told and counted. */
  guard(what: string, work: () => Promise<void>): Promise<void>;
}

/** The pictures of a folder on the way to a server. */
export class LoadedPictures {
  readonly #parts: PictureParts;
  readonly #done = new Map<string, Promise<void>>();
  #living: ReadonlySet<number> = new Set();
  #top = 0;

  constructor(parts: PictureParts) {
    this.#parts = parts;
  }

  /** Learns which pictures the server has. Throws AnswerError. */
  async open(): Promise<void> {
    const { client, files, state } = this.#parts;
    if (files.size === 0) return;
    this.#top = await newestId(client, "image");
    const known = [...files].some((path) => state.get(path)?.id !== undefined);
    const living = new Set<number>();
    for (let offset = 0; known; offset += LISTED) {
      const rows: Json[] = rowsOf(await client.get(`${PATHS.image}?sort=id&count=${LISTED}&offset=${offset}`));
      for (const row of rows) living.add(numberOf(row.id));
      if (rows.length < LISTED) break;
    }
    this.#living = living;
  }

  /** Whether a file is a picture of the folder. */
  has(path: string): boolean {
    return this.#parts.files.has(path);
  }

  /** The address of a picture that is on the server. */
  addressOf(path: string): string | undefined {
    return this.#parts.state.get(path)?.url;
  }

  /** Brings pictures to the server that a page shows. */
  async bring(paths: readonly string[], pageId: number): Promise<void> {
    for (const path of new Set(paths)) {
      const known = this.#done.get(path);
      const work = known ?? this.#parts.guard(path, () => this.#send(path, pageId));
      if (!known) this.#done.set(path, work);
      await work;
    }
  }

  async #send(path: string, pageId: number): Promise<void> {
    const { client, root, state, tally } = this.#parts;
    const bytes = await readFile(join(root, path));
    const hash = hashOfBytes(bytes);
    const entry = state.get(path);
    const name = cut(basename(path), MAX_PICTURE_NAME);
    const file = new File([bytes], name, { type: typeOf(path) });
    if (entry?.id !== undefined && entry.url !== undefined && this.#living.has(entry.id)) {
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
    await make(client, state, { kind: "image", path, name, body, parent: { uploaded_to: pageId } }, this.#top);
    const made = state.get(path);
    if (made) await state.set(path, { ...made, hash });
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
