/**
 * What goes into a portable archive and under which names, found out before anything is written. A picture belongs to the
 * page it was uploaded to where that page goes along, else to the first page that shows it; attachments belong to their
 * pages. A file that the store has lost is left out, and so is every reference to it.
 */
import type { ExportFile, ExportItem, Exporting, ItemRef } from "lectern/contracts";
import { randomText, type StoredFile } from "lectern/core";
import { addressesIn, referring } from "./references.ts";
import { keyOf, walk } from "./tree.ts";

const NAME_LENGTH = 20;
/** Items whose hanging files are asked for by one statement. */
const BATCH = 200;

/** What an archive will hold. */
export interface Plan {
  /** Files by their keys, with their names in the archive. */
  readonly files: ReadonlyMap<string, { readonly name: string; readonly stored: StoredFile }>;
  /** Bytes of all files. */
  readonly bytes: number;
  filesOf(item: ItemRef): readonly ExportFile[];
  /** The file's name in the archive; undefined for a link. */
  nameOf(file: ExportFile): string | undefined;
  /** The text with references to what is in the archive. */
  referring(text: string): string;
}

/** Reads all content once. */
export async function planOf(asked: Exporting): Promise<Plan> {
  const plan = new Planning(asked);
  await plan.hang();
  for (const item of walk(asked.item)) await plan.read(item);
  return plan;
}

class Planning implements Plan {
  readonly files = new Map<string, { name: string; stored: StoredFile }>();
  bytes = 0;
  readonly #asked: Exporting;
  readonly #items: ReadonlyMap<string, ExportItem>;
  /** Items by their addresses, and files once they are known to go along. */
  readonly #refs: Map<string, ItemRef>;
  readonly #lists = new Map<string, ExportFile[]>();
  readonly #lost = new Set<string>();
  readonly #known = new Set<string>();

  constructor(asked: Exporting) {
    this.#asked = asked;
    const items = [...walk(asked.item)];
    this.#items = new Map(items.map((item) => [keyOf(item), item]));
    this.#refs = new Map(items.map((item) => [item.url, { kind: item.kind, id: item.id }]));
  }

  filesOf(item: ItemRef): readonly ExportFile[] {
    return this.#lists.get(keyOf(item)) ?? [];
  }

  nameOf(file: ExportFile): string | undefined {
    return this.files.get(fileKey(file))?.name;
  }

  referring(text: string): string {
    return referring(text, this.#asked.baseUrl, (address) => this.#refs.get(address));
  }

  /** Takes along what hangs on items. */
  async hang(): Promise<void> {
    const kinds = Map.groupBy(this.#items.values(), ({ kind }) => kind);
    for (const [kind, items] of kinds) {
      for (let at = 0; at < items.length; at += BATCH) {
        const ids = items.slice(at, at + BATCH).map(({ id }) => id);
        for (const file of await this.#asked.files.dependents(this.#asked.viewer, kind, ids))
          await this.#take(file, file.of);
      }
    }
  }

  /** Takes along the pictures of one item's content, and learns what its addresses name. */
  async read(item: ExportItem): Promise<void> {
    const content = item.description_html === undefined ? await this.#asked.content(item) : undefined;
    const text = content ? `${content.bare ?? content.html}\n${content.markdown}` : (item.description_html ?? "");
    const fresh = [...addressesIn(text, this.#asked.baseUrl)].filter((address) => !this.#refs.has(address));
    if (fresh.length === 0) return;
    for (const [address, file] of await this.#asked.files.named(fresh)) {
      const hangsHere = this.#items.has(keyOf(file.of));
      // What is only linked to, such as an attachment of another page, stays where it is.
      const goesAlong = this.#known.has(fileKey(file)) || (file.seen && content && file.list === "images");
      if (goesAlong && (await this.#take(file, hangsHere ? file.of : item)))
        this.#refs.set(address, { kind: file.object, id: file.id });
    }
  }

  async #take(file: ExportFile, of: ItemRef): Promise<boolean> {
    const key = fileKey(file);
    if (this.#lost.has(key)) return false;
    if (this.#known.has(key)) return true;
    const stored = await file.open?.();
    if (file.open && !stored) {
      this.#lost.add(key);
      return false;
    }
    if (stored) {
      const end = file.extension === "" ? "" : `.${file.extension}`;
      this.files.set(key, { name: randomText(NAME_LENGTH) + end, stored });
      this.bytes += stored.size;
    }
    this.#known.add(key);
    this.#lists.set(keyOf(of), [...(this.#lists.get(keyOf(of)) ?? []), file]);
    return true;
  }
}

function fileKey({ object, id }: ExportFile): string {
  return `${object} ${id}`;
}
