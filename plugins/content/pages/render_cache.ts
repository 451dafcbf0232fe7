/**
 * A cache of pages that include others, as rendered, within this process. What is rendered follows from the page's HTML
 * and the included pages: which of them the reader sees, and in which version. A cached rendering is used only where a
 * statement on the reader's behalf has just found the same pages in the same versions. So nothing needs to be
 * invalidated: a change of a page or of a permission takes effect with the next read, in every process.
 */
import { sha256, withinTime } from "lectern/core";
import { isWithinTransaction } from "lectern/db";

/** HTML for a reader, with what it was made of. */
export interface Rendering {
  readonly html: string;
  /** The versions of the included pages; null for those that the reader does not see. */
  readonly versions: ReadonlyMap<number, string | null>;
}

/** Reads on behalf of one reader. */
export interface RenderingSource {
  /** The versions of the pages that the reader sees. */
  versions(pageIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
  render(): Promise<Rendering>;
}

/** Renderings of one page for readers of different permissions, newest first. */
interface Entry {
  readonly renderings: readonly Rendering[];
  readonly bytes: number;
}

/** How long a reader waits for the rendering of another one, which may be queued behind that reader's other tasks. */
const WAIT_MS = 500;

/** The most renderings of one page, for readers of different permissions. */
const MAX_RENDERINGS = 8;

/**
 * Renderings by the HTML that they were made of, about `maxBytes` in all; 0 caches nothing. There are two generations: when
 * the newer one has half of `maxBytes`, the older one is dropped, with all entries that were not used since.
 */
export class RenderCache {
  /** The limit of one generation. */
  readonly #maxBytes: number;
  readonly #pending = new Map<string, Promise<Rendering>>();
  #current = new Map<string, Entry>();
  #previous = new Map<string, Entry>();
  #currentBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes / 2;
  }

  /** The HTML for a reader, cached or rendered now. Readers wait up to 500 ms for a rendering that another one started. */
  async htmlFor(storedHtml: string, source: RenderingSource): Promise<string> {
    // What a transaction includes that is not committed is not for other readers.
    if (isWithinTransaction()) return (await source.render()).html;
    const key = sha256(storedHtml);
    for (let awaited: Promise<Rendering> | undefined; ; ) {
      const found = await this.#find(key, source);
      if (found !== undefined) return found;
      const pending = this.#pending.get(key);
      // After the wait the first reader renders again, and the others wait for that rendering.
      if (!pending || pending === awaited) break;
      await withinTime(WAIT_MS, () => pending).catch(() => {
        // Late or failed: it is rendered again.
      });
      awaited = pending;
    }
    const rendering = source.render();
    this.#pending.set(key, rendering);
    try {
      const rendered = await rendering;
      this.#put(key, [rendered, ...(this.#entry(key)?.renderings ?? [])]);
      return rendered.html;
    } finally {
      if (this.#pending.get(key) === rendering) this.#pending.delete(key);
    }
  }

  async #find(key: string, source: RenderingSource): Promise<string | undefined> {
    const entry = this.#entry(key);
    if (!entry) return undefined;
    const ids = [...new Set(entry.renderings.flatMap(({ versions }) => [...versions.keys()]))];
    const present = ids.length > 0 ? await source.versions(ids) : new Map<number, string>();
    const found = entry.renderings.find(({ versions }) =>
      versions.entries().every(([id, version]) => (present.get(id) ?? null) === version),
    );
    if (found) return found.html;
    const isOutdated = ({ versions }: Rendering) =>
      versions.entries().some(([id, version]) => version !== null && present.has(id) && present.get(id) !== version);
    // Read again: other readers may have added to the entry while the statement ran.
    this.#put(
      key,
      (this.#entry(key)?.renderings ?? []).filter((rendering) => !isOutdated(rendering)),
    );
    return undefined;
  }

  /** The approximate memory of the renderings of the present generation. */
  get bytes(): number {
    return this.#currentBytes;
  }

  #entry(key: string): Entry | undefined {
    const entry = this.#current.get(key);
    const older = entry ? undefined : this.#previous.get(key);
    if (older) this.#put(key, older.renderings);
    return entry ?? older;
  }

  /** Replaces an entry by the newest of the renderings, as far as they fit. */
  #put(key: string, newest: readonly Rendering[]): void {
    this.#currentBytes -= this.#current.get(key)?.bytes ?? 0;
    this.#current.delete(key);
    this.#previous.delete(key);
    const renderings: Rendering[] = [];
    let bytes = 0;
    for (const rendering of newest.slice(0, MAX_RENDERINGS)) {
      if (bytes + bytesOf(rendering) > this.#maxBytes) break;
      bytes += bytesOf(rendering);
      renderings.push(rendering);
    }
    if (renderings.length === 0) return;
    if (this.#currentBytes + bytes > this.#maxBytes) {
      this.#previous = this.#current;
      this.#current = new Map();
      this.#currentBytes = 0;
    }
    this.#current.set(key, { renderings, bytes });
    this.#currentBytes += bytes;
  }
}

/** The approximate memory of a rendering. */
function bytesOf({ html, versions }: Rendering): number {
  return 2 * html.length + 100 * versions.size + 500;
}
