/**
 * Changes of tables as the store reports them, as surrogate keys: those of transactions of this process that have not ended, and those
 * since the beginning of each load, so that a load knows whether something that it read has changed meanwhile.
 */

/** The changes since the beginning of a load. */
export interface ChangesSince {
  /** Whether something with one of these surrogate keys changed meanwhile, or is changed by a transaction that has not ended. */
  concern(surrogateKeys: readonly string[]): boolean;
  /** Ends the notes of the load. */
  end(): void;
}

/** The changes that concern loads under way. */
export class ReportedChanges {
  /** What transactions that have not ended changed, with their number. */
  readonly #open = new Map<string, number>();
  /** All loads under way, also those that no reader may join. */
  readonly #loads = new Set<Set<string>>();

  /** Notes changes from now on. */
  since(): ChangesSince {
    const changed = new Set<string>();
    this.#loads.add(changed);
    return {
      concern: (surrogateKeys) => surrogateKeys.some((key) => changed.has(key) || this.#open.has(key)),
      end: () => void this.#loads.delete(changed),
    };
  }

  /** A change was reported. */
  report(surrogateKeys: readonly string[]): void {
    for (const changed of this.#loads) for (const surrogateKey of surrogateKeys) changed.add(surrogateKey);
  }

  /** A transaction of this process made a change. Returns the function that is called when it has ended. */
  begin(surrogateKeys: readonly string[]): () => void {
    for (const surrogateKey of surrogateKeys) this.#open.set(surrogateKey, (this.#open.get(surrogateKey) ?? 0) + 1);
    return () => {
      for (const surrogateKey of surrogateKeys) {
        const left = (this.#open.get(surrogateKey) ?? 1) - 1;
        if (left > 0) this.#open.set(surrogateKey, left);
        else this.#open.delete(surrogateKey);
      }
      // Loads that began meanwhile may have been answered before the commit took effect, or after it.
      this.report(surrogateKeys);
    };
  }
}
