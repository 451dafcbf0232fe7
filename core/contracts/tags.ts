import { type RawBuilder, sql } from "kysely";
import { rows } from "../../db/mod.ts";
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

/** An item whose tags a request may replace. */
export interface Tagged {
  /** As events spell it: "book". */
  readonly kind: string;
  readonly id: number;
  /** What was sent; undefined leaves the tags as they are. */
  readonly sent: unknown;
}

/** Replaces an item's tags where some were sent, and answers those it has then. Throws the 422 of `Tags.read`. */
export async function saveTags(tags: Tags, { kind, id, sent }: Tagged, tx: EventTransaction): Promise<Tag[]> {
  if (sent !== undefined) {
    const wanted = tags.read(sent);
    await tags.save(kind, id, wanted, tx);
    return wanted;
  }
  const [found] = await rows<{ tags: Tag[] }>(tx.db, sql`select ${tags.of(kind, sql`${id}::integer`)} as tags`);
  return found?.tags ?? [];
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    tags: Tags;
  }
}
