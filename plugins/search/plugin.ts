/**
 * Search over everything a viewer sees (content-api 14): words through PostgreSQL's full-text index, exact text, tags and
 * filters over the items themselves. Entries of the index are made in the transaction that writes the item, so what was
 * saved is found at once; kinds of content take part by the slot `searchable`.
 */
import { definePlugin, endpoint, rules, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type {} from "./contract.ts";
import { findItems } from "./find.ts";
import { indexItem, indexMissing, type SearchedKind, searchedKinds } from "./index_items.ts";
import { migrations } from "./migrations.ts";
import { parseSearch } from "./parse.ts";

const DEFAULT_COUNT = 20;

/** The query of a search. */
const searchRules = rules({
  query: ["required", "string"],
  page: ["integer", "min:1"],
  count: ["integer", "min:1", "max:100"],
});

export default definePlugin({
  name: "search",
  requires: ["tags"],
  permissions: { write: ["search_index"], read: ["tags", "users", "entity_permissions"] },
  migrations,
  setup(context) {
    const { app, baseUrl, contracts, contribute, on, onAny, slot, valid, visible } = context;
    const db = context.db as unknown as Pick<Db, "executeQuery">;
    let known: SearchedKind[] | undefined;
    const kinds = () => (known ??= searchedKinds(slot("content"), slot("searchable")));

    on("app_boot", { join: (_, work) => indexMissing(kinds(), work.db) });
    onAny({
      async join({ name, result }, work) {
        const [, of] = /^(.+)_(?:create|update)$/.exec(name) ?? [];
        const searched = of === undefined ? undefined : kinds().find(({ kind }) => kind.kind === of);
        if (searched) await indexItem(searched, (result as { id: number }).id, work);
      },
    });
    contribute("hanging", {
      async destroy(ids, work, kind) {
        await rows(
          work.db,
          sql`delete from search_index where kind = ${kind} and item_id = any(${[...ids]}::integer[])`,
        );
      },
    });
    app.get(
      "/search",
      async ({ viewer, asked }) => {
        const { query, page = 1, count = DEFAULT_COUNT } = await valid(searchRules, asked, viewer);
        const parts = {
          db,
          kinds: kinds(),
          tags: contracts.tags,
          baseUrl,
          sees: visible.where,
        };
        return findItems(parts, viewer, parseSearch(query), { page, count });
      },
      {
        permit: "access-api",
        ...endpoint("search", "all", { about: ABOUT, rules: searchRules, example: { response: EXAMPLE } }),
      },
    );
  },
});

const ABOUT =
  "Searches shelves, books, chapters and pages visible to you, the best results first.\n" +
  'Words are looked for as beginnings of words; "exact text", [tag=value] and {filter:value} narrow the search, and a ' +
  "minus before one of these turns it round.";
const EXAMPLE = {
  data: [
    {
      id: 12,
      name: "Failover",
      slug: "failover",
      book_id: 7,
      chapter_id: 3,
      draft: false,
      template: false,
      priority: 1,
      created_at: "2026-01-05T09:32:00.000000Z",
      updated_at: "2026-01-05T09:32:00.000000Z",
      url: "https://docs.example.com/books/runbooks/page/failover",
      type: "page",
      tags: [],
      book: { id: 7, name: "Runbooks", slug: "runbooks" },
      chapter: { id: 3, name: "Database", slug: "database" },
      preview_html: { name: "<strong>Failover</strong>", content: "Call the DBA" },
    },
  ],
  total: 1,
};
