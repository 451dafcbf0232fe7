import { type RawBuilder, sql } from "kysely";
import type { EventTransaction, Viewer } from "lectern/core";
import { prepared } from "lectern/db";

/** A tag as in answers. */
export interface Tag {
  readonly name: string;
  readonly value: string;
  readonly order: number;
}

/**
 * Tags on items of any kind (content-api 4.3).
 * @example
 * export default definePlugin({
 *   name: "labels",
 *   requires: ["access", "tags"],
 *   events: ["note_label"],
 *   setup({ app, contracts: { access, tags }, perform }) {
 *     app.put(
 *       "/notes/labels",
 *       async ({ body, viewer }) => {
 *         await access.need(viewer, "note-update-all");
 *         return await perform("note_label", viewer, { id: body.id, labels: tags.read(body.labels) }, async (draft, tx) => {
 *           await tags.save("note", draft.id, draft.labels, tx);
 *           return draft;
 *         });
 *       },
 *       { permit: "access-api", body: t.Object({ id: idSchema, labels: t.Unknown() }) },
 *     );
 *   },
 * });
 *
 * type Labelled = { readonly id: number; readonly labels: readonly { name: string; value: string; order: number }[] };
 * declare module "lectern/core" {
 *   interface Events { note_label: { draft: Labelled; result: Labelled } }
 * }
 */
export interface Tags {
  /** Validates tags of a request: 422 for a name or value that is too long; entries without a name are dropped. */
  read(sent: unknown): Tag[];
  /**
   * Replaces the tags of an item, in this order. Throws PowerError where a plugin that does not ship calls it for a kind of one that
   * does, whose tags are changed with the item by its API.
   */
  save(kind: string, id: number, tags: readonly Tag[], tx: EventTransaction): Promise<void>;
  /** SQL for an item's tags in order, as a JSON array. */
  of(kind: string, idColumn: RawBuilder<unknown>): RawBuilder<Tag[]>;
  /**
   * Names, and values with their names, that begin with a text, of tags on what a viewer sees: `count` of each at most, in order. Case and
   * accents make no difference.
   */
  beginningWith(viewer: Viewer, text: string, count: number): Promise<readonly SuggestedTag[]>;
}

/** A name of tags, or a value with its name. */
export interface SuggestedTag {
  readonly name: string;
  /** Null for the name alone. */
  readonly value: string | null;
}

declare module "lectern/core" {
  interface Contracts {
    tags: Tags;
  }
}

/** An item and the tags that a request sent for it. */
export interface Tagged {
  /** As in events: "book". */
  readonly kind: string;
  readonly id: number;
  /** As sent; undefined leaves the tags as they are. */
  readonly sent: unknown;
}

const readTags = prepared("tags.readOfItem", (db, p: { tags: RawBuilder<Tag[]> }) =>
  db.selectNoFrom(p.tags.as("tags")),
);

/**
 * Replaces an item's tags where some were sent. Returns its tags. Throws the 422 of `Tags.read`.
 * @example
 * const saved = await saveTags(context.contracts.tags, { kind: "note", id: 1, sent: input.tags }, tx);
 */
export async function saveTags(tags: Tags, { kind, id, sent }: Tagged, tx: EventTransaction): Promise<Tag[]> {
  if (sent !== undefined) {
    const wanted = tags.read(sent);
    await tags.save(kind, id, wanted, tx);
    return wanted;
  }
  const found = await readTags.executeTakeFirst(tx.db, { tags: tags.of(kind, sql`${id}::integer`) });
  return found?.tags ?? [];
}
