/**
 * What the search does for other plugins, and search engines: what it hands to an engine of another plugin, and what it gets back.
 * Which items a viewer sees, and how hits are shown, stays with the search.
 */
import { deepFreeze, type SlotSpecs } from "lectern/core";

/**
 * Splits texts as the search does, for rows of other plugins that it finds: see the slot `searched_parts`.
 * @example
 * export default definePlugin({
 *   name: "scans",
 *   requires: ["search"],
 *   grants: { write: ["note_scans"] },
 *   migrations: {
 *     async "0001_init"(db) {
 *       await sql`create table note_scans (id integer primary key, note_id integer, name text, text text, words tsvector)`.execute(db);
 *     },
 *   },
 *   setup({ contracts: { search }, db, jobs }) {
 *     jobs.handle("scan_read", async ({ id, text }) => {
 *       const words = sql<string>`${await search.wordsOf(text)}::tsvector`;
 *       await db.updateTable("note_scans").set({ text, words }).where("id", "=", id).execute();
 *     });
 *   },
 * });
 *
 * declare module "lectern/core" {
 *   interface Jobs { scan_read: { readonly id: number; readonly text: string } }
 * }
 * declare module "lectern/db" {
 *   interface Tables { note_scans: { id: number; note_id: number; name: string; text: string | null; words: string | null } }
 * }
 */
export interface Search {
  /**
   * The words of a plain text, each once, normalised as words of searches are: the text form of a tsvector, "" for none. Of more than 900,000
   * bytes of words the first ones. Lets the event loop have its turn, some 30 ms a megabyte; cut longer texts before.
   */
  wordsOf(text: string): Promise<string>;
  /**
   * Forgets those words of deleted rows, in the form of `wordsOf`, that no item and no row of the slot has any more, so that no misspelt word
   * is corrected to them. It reads the index for each word, so call it in a job.
   */
  forgetWords(words: string): Promise<void>;
}

/** The text of an item, as a search engine indexes it. */
export interface SearchDocument {
  /** The kind of content, such as "page". */
  readonly kind: string;
  readonly id: number;
  readonly name: string;
  /** Names and values of its tags, separated by spaces; at most 200,000 characters. */
  readonly tags: string;
  /** The headings of its text, one per line; at most 20,000 characters. */
  readonly headings: string;
  /** Its plain text; at most 200,000 characters. */
  readonly body: string;
}

/** What a search engine is asked for. */
export interface EngineQuery {
  /**
   * Words of which any may match, as beginnings of words; a stronger engine may match more, such as misspelt ones. A word with signs, such as
   * `R&D`, `C++` or `node.js`, is one term, which should be found where it stands so, not where its parts do.
   */
  readonly terms: readonly string[];
  /** Texts that each result has to contain; Lectern checks them again in the text itself. */
  readonly exacts: readonly string[];
  /** The kinds to search. */
  readonly kinds: readonly string[];
  /** How many of the best hits to leave out, since they were answered before. */
  readonly offset: number;
  /** The maximum number of hits. */
  readonly limit: number;
}

/** A hit of a search engine. */
export interface EngineHit {
  readonly kind: string;
  readonly id: number;
  /** The greater the better; hits of equal scores are ordered by kind and id. */
  readonly score: number;
}

/** The answer of a search engine. */
export interface EngineAnswer {
  /** The best first. */
  readonly hits: readonly EngineHit[];
  /** Whether there are more after them; then the total of the search is a lower bound, unless they are read as well. */
  readonly hasMore: boolean;
}

/**
 * A search engine, such as Meilisearch or OpenSearch: the contribution to the slot `search_engine`. SEARCH_ENGINE chooses it;
 * "postgresql" ships. It knows no permissions: Lectern leaves out what the viewer does not see, and applies filters, tags and
 * exact texts. Items reach it by jobs after the commit, which are retried, and all items when it is chosen first.
 * @example
 * const send = async (path: string, body: unknown, signal: AbortSignal) => {
 *   const address = `https://search.example.com${path}`;
 *   const response = await context.fetch(address, { method: "POST", body: JSON.stringify(body), signal });
 *   if (!response.ok) throw new Error(`The search engine answered ${response.status}`);
 *   return response;
 * };
 * context.contribute("search_engine", {
 *   name: "example",
 *   async index(documents, { signal }) {
 *     await send("/documents", documents.map((each) => ({ key: `${each.kind}-${each.id}`, ...each })), signal);
 *   },
 *   async remove(kind, ids, { signal }) {
 *     await send("/documents/delete", ids.map((id) => `${kind}-${id}`), signal);
 *   },
 *   async find({ terms, exacts, kinds, offset, limit }, { signal }) {
 *     const query = { q: [...terms, ...exacts].join(" "), kinds, offset, limit: limit + 1 };
 *     const found = await (await send("/search", query, signal)).json();
 *     const hits = found as { kind: string; id: number; score: number }[];
 *     return { hits: hits.slice(0, limit), hasMore: hits.length > limit };
 *   },
 * });
 */
export interface SearchEngine {
  /** Unique: the value of SEARCH_ENGINE that chooses it. */
  readonly name: string;
  /** Adds documents, replacing those of the same kind and id. At most 50 at a time; may be called twice for one. */
  index(documents: readonly SearchDocument[], options: { readonly signal: AbortSignal }): Promise<void>;
  /** Removes documents; unknown ones are no error. */
  remove(kind: string, ids: readonly number[], options: { readonly signal: AbortSignal }): Promise<void>;
  /** Finds documents. `signal` aborts after twice DATABASE_TIMEOUT_MS. A search whose engine throws is answered 503. */
  find(query: EngineQuery, options: { readonly signal: AbortSignal }): Promise<EngineAnswer>;
}

declare module "lectern/core" {
  interface Contracts {
    search: Search;
  }
  interface Slots {
    search_engine: SearchEngine;
  }
}

/** What is known of these slots beside their types. */
export const searchSlots = deepFreeze({
  search_engine: {
    members: { name: "text", index: "function", remove: "function", find: "function" },
    ships: ["find", "index", "remove"],
    limit: "long",
  },
} as const satisfies SlotSpecs);
