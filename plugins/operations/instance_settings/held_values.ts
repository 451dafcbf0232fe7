/**
 * The values of the settings in this process. They are held beside the cache, since much that reads them cannot wait: a view, a getter of a
 * service, the language of an error. When a commit here or on another server drops them, they are read again at once, and what can wait
 * (`fresh`) does so where they are not there yet.
 */
import type { InstanceSetting, SettingValue } from "lectern/contracts";
import { type Cached, type CacheOptions, deepFreeze } from "lectern/core";
import { isWithinTransaction, outsideTransaction } from "lectern/db";
import type { InstanceSettingsTable } from "./contract.ts";

/** What was read at a time. */
interface Snapshot {
  /** Counts reads, in the order in which they began. */
  readonly number: number;
  readonly values: ReadonlyMap<string, SettingValue>;
  readonly secrets: ReadonlyMap<string, SettingValue>;
  /** See `InstanceSettings.version`. */
  readonly version: string;
}

type Row = Pick<InstanceSettingsTable, "name" | "value">;
type Make = (name: string, load: (key: string) => Promise<Snapshot>, options: CacheOptions) => Cached<Snapshot>;

/** Dependencies of `HeldValues`. */
export interface HeldValuesOptions {
  /** All settings; complete once all plugins are set up. */
  declared(): readonly InstanceSetting[];
  read(): Promise<readonly Row[]>;
  /** Makes the cache. */
  cache: Make;
  /** Called with the first values, and with each that follow. */
  changed(): void;
}

/** The values of one runtime. */
export class HeldValues {
  readonly #options: HeldValuesOptions;
  readonly #cached: Cached<Snapshot>;
  #held: Snapshot | undefined;
  #reads = 0;

  constructor(options: HeldValuesOptions) {
    this.#options = options;
    this.#cached = options.cache("values", () => this.#read(), { onDrop: () => this.#readAgain() });
  }

  /** The value of a setting; before the boot is complete, what the operator or the plugin says. Undefined for a secret, and for one that is not declared. */
  value(name: string): SettingValue | undefined {
    return (this.#held ?? this.#snapshot(0, [])).values.get(name);
  }

  /** The value of a secret; undefined for any other. */
  secret(name: string): SettingValue | undefined {
    return (this.#held ?? this.#snapshot(0, [])).secrets.get(name);
  }

  /** See `InstanceSettings.version`. */
  get version(): string {
    return this.#held?.version ?? "";
  }

  /** See `InstanceSettings.fresh`. What an open transaction has written is not taken for the values: it may be rolled back. */
  fresh(): void | Promise<void> {
    if (isWithinTransaction()) return undefined;
    const found = this.#cached.get("");
    return found instanceof Promise ? found.then((read) => this.#hold(read)) : this.#hold(found);
  }

  /** Drops the values in every process at the commit. */
  forget(...[tx]: Parameters<Cached<Snapshot>["forget"]>): Promise<void> {
    return this.#cached.forget(tx);
  }

  /** Takes the first values, as rows that were read. */
  begin(rows: readonly Row[]): void {
    this.#hold(this.#snapshot(++this.#reads, rows));
  }

  async #read(): Promise<Snapshot> {
    const number = ++this.#reads;
    return this.#snapshot(number, await this.#options.read());
  }

  #readAgain(): void {
    // Of a runtime that is being set up nothing is held yet.
    if (!this.#held) return;
    // Where that fails, as while the store is away or the process ends, whoever needs them reads them and is told so.
    outsideTransaction(() => this.fresh())?.catch(() => undefined);
  }

  #hold(read: Snapshot): void {
    if (this.#held && read.number <= this.#held.number) return;
    this.#held = read;
    this.#options.changed();
  }

  #snapshot(number: number, rows: readonly Row[]): Snapshot {
    const stored = new Map(rows.map(({ name, value }) => [name, value]));
    const values = new Map<string, SettingValue>();
    const secrets = new Map<string, SettingValue>();
    for (const setting of this.#options.declared()) {
      const { name, control, given } = setting;
      const of = control === "secret" ? secrets : values;
      of.set(name, deepFreeze(given ?? parsed(stored.get(name), setting)));
    }
    const version = Bun.hash(JSON.stringify([...values])).toString(36);
    return { number, values, secrets, version };
  }
}

/** The value in a row; the default where there is none, or one of another type, as another version of the plugin may have written. */
function parsed(json: string | undefined, { default: byDefault }: InstanceSetting): SettingValue {
  if (json === undefined) return byDefault;
  const value: unknown = JSON.parse(json);
  const isAlike = typeof value === typeof byDefault && Array.isArray(value) === Array.isArray(byDefault);
  // Rows are written by this plugin alone, from values that were validated.
  return isAlike ? (value as SettingValue) : byDefault;
}
