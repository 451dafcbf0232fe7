/**
 * Pages that include others, as rendered, kept in this process. A rendering follows from the page's HTML and from the
 * included pages: which of them the reader sees, and in which version. It is reused only where one statement, asked on
 * the reader's behalf, has just found the same pages in the same versions. So nothing has to be forgotten, and a change
 * of a page or of a permission takes effect with the next read, in every process.
 */
import { sha256 } from "lectern/core";

/** HTML for a reader, with what it was made of. */
export interface Rendering {
  readonly html: string;
  /** The version of each page that was asked for; null for those that the reader does not see. */
  readonly versions: ReadonlyMap<number, string | null>;
}

/** What is asked on behalf of one reader. */
export interface RenderingSource {
  /** The versions of those pages that the reader sees. */
  versions(pageIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
  render(): Promise<Rendering>;
}

/** Renderings of one page for readers of different rights, newest first. */
interface Entry {
  readonly renderings: readonly Rendering[];
  readonly bytes: number;
}

/** How long a reader waits for another's rendering: it may have to wait its turn among all that reader has asked for. */
const WAIT_MS = 500;

/** Readers of different rights for whom one page is kept. */
const MAX_RENDERINGS = 8;

/**
 * Renderings by the HTML they were made of, some `maxBytes` at most. They lie in two generations: when the newer one is
 * half as large as allowed, the older one is dropped with all that was not used meanwhile.
 */
export class Renderings {
  /** Of one generation. */
  readonly #maxBytes: number;
  readonly #underWay = new Map<string, Promise<Rendering>>();
  #current = new Map<string, Entry>();
  #previous = new Map<string, Entry>();
  #currentBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes / 2;
  }

  /** The HTML that a reader sees, remembered or made now. Others wait for the first one to be made, but not for long. */
  async htmlFor(storedHtml: string, source: RenderingSource): Promise<string> {
    const key = sha256(storedHtml);
    for (let late: Promise<Rendering> | undefined; ; ) {
      const found = await this.#find(key, source);
      if (found !== undefined) return found;
      const underWay = this.#underWay.get(key);
      // Whoever comes first makes one anew, for which the others wait in turn.
      if (!underWay || underWay === late) break;
      await Promise.race([Promise.allSettled([underWay]), Bun.sleep(WAIT_MS)]);
      late = underWay;
    }
    const rendering = source.render();
    this.#underWay.set(key, rendering);
    try {
      const made = await rendering;
      this.#put(key, [made, ...(this.#entry(key)?.renderings ?? [])]);
      return made.html;
    } finally {
      if (this.#underWay.get(key) === rendering) this.#underWay.delete(key);
    }
  }

  async #find(key: string, source: RenderingSource): Promise<string | undefined> {
    const entry = this.#entry(key);
    if (!entry) return undefined;
    const ids = [...new Set(entry.renderings.flatMap(({ versions }) => [...versions.keys()]))];
    const seen = ids.length > 0 ? await source.versions(ids) : new Map<number, string>();
    const found = entry.renderings.find(({ versions }) =>
      versions.entries().every(([id, version]) => (seen.get(id) ?? null) === version),
    );
    if (found) return found.html;
    const isPast = ({ versions }: Rendering) =>
      versions.entries().some(([id, version]) => version !== null && seen.has(id) && seen.get(id) !== version);
    // Others may have added to the entry while the statement ran.
    this.#put(
      key,
      (this.#entry(key)?.renderings ?? []).filter((rendering) => !isPast(rendering)),
    );
    return undefined;
  }

  #entry(key: string): Entry | undefined {
    const entry = this.#current.get(key);
    const older = entry ? undefined : this.#previous.get(key);
    if (older) this.#put(key, older.renderings);
    return entry ?? older;
  }

  /** Keeps the newest of the renderings, as far as they fit. */
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

/** About what a rendering takes of memory. */
function bytesOf({ html, versions }: Rendering): number {
  return 2 * html.length + 100 * versions.size + 500;
}
