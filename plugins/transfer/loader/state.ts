/**
 * What is loaded, in a file beside the Markdown: for each server and path the id on the server and a hash of what was
 * sent last. It is replaced as a whole (written beside, then renamed), so a kill leaves the old or the new one, never
 * half of one. Before a thing is created it is noted as pending with the highest id known then: after a kill the next
 * run finds out by that whether the server has it. Two runs over one folder at the same time are not meant.
 */
import { rename, writeFile } from "node:fs/promises";
import { LoadError } from "./errors.ts";

/** What a path became. */
export type Kind = "shelf" | "book" | "chapter" | "page" | "image";

/** What is known of a path on a server. */
export interface Entry {
  readonly kind: Kind;
  /** Undefined while it is not known to be created. */
  readonly id?: number;
  readonly slug?: string;
  readonly name?: string;
  /** The address of a picture. */
  readonly url?: string;
  /** Hash of the body, or the file, sent last; absent where the content of the server is not known. */
  readonly hash?: string;
  /** Ids of headings by their anchors. */
  readonly anchors?: Readonly<Record<string, string>>;
  /** The highest id of the kind before the request that may have created it. */
  readonly pendingAbove?: number;
}

interface StateFile {
  version: 1;
  servers: Record<string, Record<string, Entry>>;
}

/** The state of one folder on one server. */
export class LoadState {
  readonly #path: string;
  readonly #file: StateFile;
  readonly #entries: Map<string, Entry>;
  readonly #baseUrl: string;
  readonly #claimed = new Set<string>();
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  private constructor(path: string, file: StateFile, baseUrl: string) {
    this.#path = path;
    this.#file = file;
    this.#baseUrl = baseUrl;
    this.#entries = new Map(Object.entries(file.servers[baseUrl] ?? {}));
    for (const { kind, id } of this.#entries.values()) if (id !== undefined) this.#claimed.add(`${kind} ${id}`);
  }

  /** Opens the file, which need not exist. Throws LoadError where it holds something else. */
  static async open(path: string, baseUrl: string): Promise<LoadState> {
    const file = Bun.file(path);
    const held = (await file.exists()) ? parse(await file.text(), path) : { version: 1 as const, servers: {} };
    return new LoadState(path, held, baseUrl);
  }

  /** What is known of a path. */
  get(path: string): Entry | undefined {
    return this.#entries.get(path);
  }

  /** Paths of pages that were loaded at some time. */
  pages(): string[] {
    return [...this.#entries].filter(([, { kind, id }]) => kind === "page" && id !== undefined).map(([path]) => path);
  }

  /** Whether an id belongs to a path already. */
  isClaimed(kind: Kind, id: number): boolean {
    return this.#claimed.has(`${kind} ${id}`);
  }

  /** Keeps an id for its finder until it is noted, so that no two workers take the same. */
  claim(kind: Kind, id: number): void {
    this.#claimed.add(`${kind} ${id}`);
  }

  /** Notes what is known of a path; done once it is on disk. Rejects with LoadError where it cannot be written. */
  set(path: string, entry: Entry): Promise<void> {
    this.#entries.set(path, entry);
    if (entry.id !== undefined) this.#claimed.add(`${entry.kind} ${entry.id}`);
    return this.#save();
  }

  /** Callers that come while a write runs share the next one. */
  #save(): Promise<void> {
    const path = this.#path;
    this.#next ??= this.#writing.then(async () => {
      this.#next = undefined;
      this.#file.servers[this.#baseUrl] = Object.fromEntries(this.#entries);
      try {
        await writeFile(`${path}.new`, JSON.stringify(this.#file), { mode: 0o600 });
        await rename(`${path}.new`, path);
      } catch (cause) {
        throw new LoadError(
          `Cannot write the state file "${path}": ${cause instanceof Error ? cause.message : String(cause)}`,
          { cause },
        );
      }
    });
    this.#writing = this.#next.catch(() => undefined);
    return this.#next;
  }
}

function parse(text: string, path: string): StateFile {
  let held: Partial<StateFile>;
  try {
    held = JSON.parse(text) as Partial<StateFile>;
  } catch (cause) {
    throw new LoadError(`Cannot read the state file "${path}": it is no JSON; move it away to load everything anew`, {
      cause,
    });
  }
  if (held?.version === 1 && typeof held.servers === "object" && held.servers !== null)
    return { version: 1, servers: held.servers };
  throw new LoadError(`Cannot use the state file "${path}": it was not written by this loader`);
}

/** A short hash of what is sent. */
export function hashOf(body: object): string {
  return hashOfBytes(JSON.stringify(body));
}

/** A short hash of a file. */
export function hashOfBytes(bytes: Uint8Array | string): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 32);
}
