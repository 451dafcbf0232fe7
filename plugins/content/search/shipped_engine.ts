import { sql } from "lectern/core";
import { deleteEntries, indexItem } from "./changes.ts";
import { forgetContributed } from "./contributed_engine.ts";
import { type Engine, SHIPPED } from "./engine.ts";
import { findInStore } from "./queries.ts";
import type { Frequencies } from "./relevance/frequencies.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** The engine over PostgreSQL: it indexes in the transaction of the change, and finds with the viewer's rows in one statement. */
export function shippedEngine(vocabulary: Vocabulary, frequencies: Frequencies): Engine {
  return {
    name: SHIPPED,
    indexItem: (searched, id, tx) => indexItem(searched, id, tx, vocabulary),
    async removeItems(kind, ids, tx) {
      const except = sql`search_index.kind = ${kind}::text and search_index.item_id = any(${[...ids]}::integer[])`;
      const words = sql`select unnest(tsvector_to_array(search_index.words)) from search_index where ${except}`;
      const { common } = await frequencies.figures();
      await vocabulary.forget({ words, except }, { common, db: tx.db });
      await deleteEntries(kind, ids, tx);
    },
    async fill(kinds, tx) {
      await forgetContributed(tx.db);
      for (const { kind } of kinds) await tx.enqueue("search_index", { kind: kind.kind, after: 0 }, { key: kind.kind });
    },
    find: findInStore,
  };
}
