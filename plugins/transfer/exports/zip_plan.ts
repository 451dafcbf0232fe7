/**
 * Plans which files a portable archive contains, and under which names, before anything is written. An image belongs to the
 * page it was uploaded to where that page is exported, else to the first page that shows it; attachments belong to their
 * pages. A file that is missing in the file store is left out, and so are all references to it.
 */
import type { ExportFile, ExportItem, Exporting, ItemRef } from "lectern/contracts";
import { randomText, type StoredFile } from "lectern/core";
import { addressesIn, permalink, withReferences } from "./references.ts";
import { keyOf, walk } from "./tree.ts";

const NAME_LENGTH = 20;
/** How many items' dependent files are read by one statement. */
const BATCH = 200;

/** The files of an archive, and the references to them. */
export interface Plan {
  /** Files with content, by `fileKey`, with their names in the archive. */
  readonly files: ReadonlyMap<string, { readonly name: string; readonly stored: StoredFile }>;
  /** Bytes of all files. */
  readonly bytes: number;
  filesOf(item: ItemRef): readonly ExportFile[];
  /** The file's name in the archive; undefined for a link. */
  nameOf(file: ExportFile): string | undefined;
  /** The text with addresses replaced by references to what is in the archive. */
  withReferences(text: string): string;
}

/** Plans an archive, reading all content once. */
export async function buildPlan(request: Exporting): Promise<Plan> {
  const plan = new PlanBuilder(request);
  await plan.addDependents();
  for (const item of walk(request.item)) await plan.addImages(item);
  return plan;
}

class PlanBuilder implements Plan {
  readonly files = new Map<string, { name: string; stored: StoredFile }>();
  bytes = 0;
  readonly #request: Exporting;
  readonly #items: ReadonlyMap<string, ExportItem>;
  /** Items by their addresses, and files once they are included. */
  readonly #refs: Map<string, ItemRef>;
  readonly #lists = new Map<string, ExportFile[]>();
  readonly #missing = new Set<string>();
  readonly #included = new Set<string>();

  constructor(request: Exporting) {
    this.#request = request;
    const items = [...walk(request.item)];
    this.#items = new Map(items.map((item) => [keyOf(item), item]));
    this.#refs = new Map(items.map((item) => [item.url, { kind: item.kind, id: item.id }]));
    for (const { kind, id } of items) if (kind === "page") this.#refs.set(permalink(request.baseUrl, id), { kind, id });
  }

  filesOf(item: ItemRef): readonly ExportFile[] {
    return this.#lists.get(keyOf(item)) ?? [];
  }

  nameOf(file: ExportFile): string | undefined {
    return this.files.get(fileKey(file))?.name;
  }

  withReferences(text: string): string {
    return withReferences(text, this.#request.baseUrl, (address) => this.#refs.get(address));
  }

  /** Includes the files that depend on items, such as attachments and covers. */
  async addDependents(): Promise<void> {
    const kinds = Map.groupBy(this.#items.values(), ({ kind }) => kind);
    for (const [kind, items] of kinds) {
      for (let at = 0; at < items.length; at += BATCH) {
        const ids = items.slice(at, at + BATCH).map(({ id }) => id);
        for (const file of await this.#request.files.dependents(this.#request.viewer, kind, ids))
          await this.#include(file, file.of);
      }
    }
  }

  /** Includes the images that an item's content shows, and records which file each address names. */
  async addImages(item: ExportItem): Promise<void> {
    const content = item.description_html === undefined ? await this.#request.content(item) : undefined;
    const text = content ? `${content.bare ?? content.html}\n${content.markdown}` : (item.description_html ?? "");
    const addresses = [...addressesIn(text, this.#request.baseUrl)].filter((address) => !this.#refs.has(address));
    if (addresses.length === 0) return;
    for (const [address, file] of await this.#request.files.named(addresses)) {
      const isOwnerExported = this.#items.has(keyOf(file.of));
      // A file that is only linked to, such as an attachment of another page, is not included.
      const isIncluded = this.#included.has(fileKey(file)) || (file.seen && content && file.list === "images");
      if (isIncluded && (await this.#include(file, isOwnerExported ? file.of : item)))
        this.#refs.set(address, { kind: file.object, id: file.id });
    }
  }

  async #include(file: ExportFile, of: ItemRef): Promise<boolean> {
    const key = fileKey(file);
    if (this.#missing.has(key)) return false;
    if (this.#included.has(key)) return true;
    const stored = await file.open?.();
    if (file.open && !stored) {
      this.#missing.add(key);
      return false;
    }
    if (stored) {
      const end = file.extension === "" ? "" : `.${file.extension}`;
      this.files.set(key, { name: randomText(NAME_LENGTH) + end, stored });
      this.bytes += stored.size;
    }
    this.#included.add(key);
    this.#lists.set(keyOf(of), [...(this.#lists.get(keyOf(of)) ?? []), file]);
    return true;
  }
}

function fileKey({ object, id }: ExportFile): string {
  return `${object} ${id}`;
}
