import type { RawBuilder } from "kysely";
import type { EventTransaction } from "../events/event_bus.ts";

/** A tag as answers show it. */
export interface Tag {
  readonly name: string;
  readonly value: string;
  readonly order: number;
}

/** Tags on items of any kind (content-api 4.3). */
export interface Tags {
  /** Judges what a request sent: 422 for a name or value that is too long; entries without a name are dropped. */
  read(sent: unknown): Tag[];
  /** Replaces the tags of an item, in the given order. */
  save(kind: string, id: number, tags: readonly Tag[], tx: EventTransaction): Promise<void>;
  /** SQL for an item's tags as a JSON array, in their order; empty where it has none. */
  of(kind: string, idColumn: RawBuilder<unknown>): RawBuilder<Tag[]>;
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    tags: Tags;
  }
}
