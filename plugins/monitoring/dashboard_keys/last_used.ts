import { type Log, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/** How long uses are collected before they are written, in milliseconds (dashboard-stats 3.5). */
const FLUSH_MS = 1_000;

interface Noted {
  /** In milliseconds since 1970. */
  readonly at: number;
  /** The address, or the reason of a refusal. */
  readonly text: string;
}

/** Collects when keys were used or refused and writes that at most once a second, so that no request waits for it. */
export class LastUsedBatch {
  readonly #db: Pick<Db, "executeQuery">;
  readonly #log: Log;
  #used = new Map<number, Noted>();
  #refused = new Map<number, Noted>();
  #timer: Timer | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(db: Pick<Db, "executeQuery">, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  /** Notes a use, now. */
  used(keyId: number, address: string): void {
    this.#used.set(keyId, { at: Date.now(), text: address });
    this.#later();
  }

  /** Notes a refusal, now. */
  refused(keyId: number, reason: string): void {
    this.#refused.set(keyId, { at: Date.now(), text: reason });
    this.#later();
  }

  /** Writes what was collected, after what is being written. A failure is logged; what it concerned is then forgotten. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [used, refused] = [this.#used, this.#refused];
    this.#used = new Map();
    this.#refused = new Map();
    this.#writing = this.#writing.then(async () => {
      try {
        await this.#write("last_used_at", "last_used_ip", used);
        await this.#write("last_refused_at", "last_refused_reason", refused);
      } catch (error) {
        this.#log.warn("Cannot write when keys were last used", { error });
      }
    });
    return this.#writing;
  }

  #later(): void {
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  async #write(time: string, text: string, noted: ReadonlyMap<number, Noted>): Promise<void> {
    if (noted.size === 0) return;
    const values = [...noted.values()];
    await rows(
      this.#db,
      sql`update dash_keys set ${sql.ref(time)} = noted.at, ${sql.ref(text)} = noted.text
        from unnest(${[...noted.keys()]}::integer[], ${values.map(({ at }) => new Date(at).toISOString())}::timestamptz[],
          ${values.map((one) => one.text)}::text[]) as noted (id, at, text)
        where dash_keys.id = noted.id and (dash_keys.${sql.ref(time)} is null or dash_keys.${sql.ref(time)} <= noted.at)`,
    );
  }
}
