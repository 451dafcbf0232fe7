/**
 * The state of loads, in a JSON file beside the Markdown: for each server and path the id on the server and a hash of what
 * was sent last. The file is replaced atomically (written to a temporary name, then renamed). Before an item is created, it
 * is recorded as pending with the highest id at that time, so that after a crash the next run can find out whether the
 * server has it. Concurrent runs over one folder are not supported.
 */
import { rename, writeFile } from "node:fs/promises";
import { LoadError } from "./errors.ts";

/** Kinds of items that are created for paths. */
export type Kind = "shelf" | "book" | "chapter" | "page" | "image" | "attachment";

/** The state of a path on a server. */
export interface StateEntry {
  readonly kind: Kind;
  /** Undefined until it is known to be created. */
  readonly id?: number;
  readonly slug?: string;
  readonly name?: string;
  /** The address of an image. */
  readonly url?: string;
  /** Hash of the body or file sent last; absent where the content on the server is unknown. */
  readonly hash?: string;
  /** Ids of headings by anchor. */
  readonly anchors?: Readonly<Record<string, string>>;
  /** The highest id of the kind before the pending request. */
  readonly pendingAbove?: number;
}

interface StateFile {
  version: 1;
  servers: Record<string, Record<string, StateEntry>>;
}

/** The state of one folder on one server. */
export class LoadState {
  readonly #path: string;
  readonly #file: StateFile;
  readonly #entries: Map<string, StateEntry>;
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

  /** Opens the file, which need not exist. Throws LoadError where it has other content. */
  static async open(path: string, baseUrl: string): Promise<LoadState> {
    const file = Bun.file(path);
    const content = (await file.exists()) ? parse(await file.text(), path) : { version: 1 as const, servers: {} };
    return new LoadState(path, content, baseUrl);
  }

  /** The state of a path. */
  get(path: string): StateEntry | undefined {
    return this.#entries.get(path);
  }

  /** Paths of all pages that were ever loaded. */
  pages(): string[] {
    return [...this.#entries].filter(([, { kind, id }]) => kind === "page" && id !== undefined).map(([path]) => path);
  }

  /** Whether an id belongs to a path. */
  isClaimed(kind: Kind, id: number): boolean {
    return this.#claimed.has(`${kind} ${id}`);
  }

  /** Reserves an id until it is recorded, so that no two workers assign the same. */
  claim(kind: Kind, id: number): void {
    this.#claimed.add(`${kind} ${id}`);
  }

  /** Records the state of a path. Resolves once it is on disk; rejects with LoadError where it cannot be written. */
  set(path: string, entry: StateEntry): Promise<void> {
    this.#entries.set(path, entry);
    if (entry.id !== undefined) this.#claimed.add(`${entry.kind} ${entry.id}`);
    return this.#save();
  }

  /** Writes the file. Calls during a write share the next one. */
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
  let content: Partial<StateFile>;
  try {
    content = JSON.parse(text) as Partial<StateFile>;
  } catch (cause) {
    throw new LoadError(`Cannot read the state file "${path}": it is not JSON; move it away to load everything again`, {
      cause,
    });
  }
  if (content?.version === 1 && typeof content.servers === "object" && content.servers !== null)
    return { version: 1, servers: content.servers };
  throw new LoadError(`Cannot use the state file "${path}": it was not written by this loader`);
}

/** A short hash of a body. */
export function hashOf(body: object): string {
  return hashOfBytes(JSON.stringify(body));
}

/** A short hash of a file. */
export function hashOfBytes(bytes: Uint8Array | string): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 32);
}
