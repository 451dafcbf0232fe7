/**
 * Text with markup: pages, descriptions, comments, exports. All functions are pure, so that saving, rendering, exporting and
 * importing agree on the meaning of HTML. Large input goes to a child process: functions that return a promise reject with
 * ApiError 422 or 503 beyond the time and memory of a task. Stored HTML is never sanitised (content-api 9.1): `raw_html` is
 * what was sent, with ids. HTML for browsers comes from `rendered`, `render`, `safe`, `filtered` or `describeHtml`.
 */
import type { Viewer } from "lectern/core";

/** A picture embedded in a text, decoded from base64 (content-api 9.5). */
export interface EmbeddedPicture {
  /** The decoded bytes, whose first ones are those of a picture. */
  bytes: Uint8Array;
  /** The subtype of its data URL: one of jpg, jpeg, png, gif, webp, avif. */
  extension: string;
}

/** Stores a picture. Returns its URL, or undefined where it may not be stored. */
export type SaveImage = (picture: EmbeddedPicture) => Promise<string | undefined>;

/** All that is derived from a page's content when it is saved (content-api 9.1). */
export interface StoredContent {
  /** The `raw_html` of answers: as sent, with ids, not sanitised. */
  html: string;
  /** The Markdown as stored, without base64 pictures; `""` for a page written in HTML. */
  markdown: string;
  /** Plain text for search, without include tags. */
  text: string;
  /** Filtered HTML; null for a page with include tags, which is rendered for each reader. */
  rendered: string | null;
  /** Ids of the included pages, unique, in order of appearance. */
  includes: readonly number[];
  /** Link targets as written, without fragment, unique: to track references. */
  links: readonly string[];
}

/**
 * Returns stored HTML by page id, without pages that the reader does not see (content-api 9.4). A page beyond `maxBytes` may
 * be null, so that it is not held in memory.
 */
export type LoadPages = (pageIds: readonly number[], maxBytes: number) => Promise<ReadonlyMap<number, string | null>>;

/**
 * Returns the HTML in place of an include tag: `reference` is the text in the tag, such as "12#section", `html` what it would
 * show, `pageId` the included page, null where the reader does not see it.
 */
export type Included = (reference: string, html: string, pageId: number | null) => Promise<string>;

/** An address in an attribute of an element. */
export interface AddressAt {
  /** Name of the element in lower case: "img". */
  readonly element: string;
  /** The attribute: href, src, srcset, poster, data. */
  readonly attribute: string;
  readonly address: string;
}

/** Content as sent. */
export type SentContent = { readonly html: string } | { readonly markdown: string };

/** The viewer of a call: no viewer occupies all child processes. */
export interface MarkupCall {
  readonly viewer?: Pick<Viewer, "id">;
}

/** Content ready to be stored, except for its pictures. */
export interface PreparedContent {
  /** Stores the pictures. Rejects only if `saveImage` does. Without it embedded pictures lose their source. */
  keep(saveImage?: SaveImage): Promise<StoredContent>;
}

/** Pieces of two texts in order; those without a mark are in both. "long" for texts that are too long to compare. */
export type Comparison =
  | readonly { readonly value: string; readonly added?: boolean; readonly removed?: boolean }[]
  | "long";

/** A run of a merged text: settled, or a collision with the text of each side; any of them may be "". */
export type MergedPart =
  | { readonly text: string }
  | { readonly base: string; readonly mine: string; readonly theirs: string };

/** A passage of a document: its text, what stands around it, and its place. Each run of white space is one space. */
export interface Passage {
  /** The id of an element, a checksum of its text, and a range of it: "bkmrk-call-the-dba:735:5-12" (content-api 10.2). */
  readonly place: string;
  readonly quote: string;
  /** What stands before it, at most 32 characters. */
  readonly before: string;
  readonly after: string;
}

/** A passage to find: at its place while that has the text it had, else by its text, near its place. Either may be "". */
export type WantedPassage = Pick<Passage, "place"> & Partial<Omit<Passage, "place">>;

/**
 * Conversion, cleaning and rewriting of text with markup. No function throws on broken input.
 * @example
 * export default definePlugin({
 *   name: "remarks",
 *   requires: ["markup"],
 *   setup({ app, contracts: { markup } }) {
 *     app.post(
 *       "/remarks/preview",
 *       async ({ body, viewer }) => {
 *         const shown = await markup.preview({ markdown: body.markdown }, { viewer });
 *         return { shown, plain: await markup.text(shown, { viewer }) };
 *       },
 *       { permit: "access-api", body: t.Object({ markdown: t.String({ maxLength: 20_000 }) }) },
 *     );
 *   },
 * });
 */
export interface Markup {
  /**
   * Derives what is stored of a page's content: pictures removed, Markdown as HTML, ids, plain text (content-api 9.1).
   * Rejects with ApiError 422 for content beyond the limits of bytes and elements, and if `saveImage` does. Without
   * `saveImage` embedded pictures lose their source.
   */
  store(input: SentContent, options?: MarkupCall & { saveImage?: SaveImage }): Promise<StoredContent>;
  /** The same in two steps: the slow one can run before the transaction, the pictures need the id of the page. */
  prepare(input: SentContent, options?: MarkupCall): Promise<PreparedContent>;
  /** Content as its page would show it; stores nothing and leaves include tags. */
  preview(input: SentContent, options?: MarkupCall): Promise<string>;
  /**
   * Renders stored HTML for a reader: includes resolved in at most three passes with one `load` each, ids made unique
   * again after an include, script filter applied (content-api 9.4). `included` may replace each of them. Includes beyond
   * the operator's limits of number and size become a notice. Rejects only if `load` or `included` does.
   */
  render(storedHtml: string, load: LoadPages, included?: Included, options?: MarkupCall): Promise<string>;
  /** Removes scripts and form controls (content-api 9.3); the result parses to itself. For short HTML. */
  safe(html: string): string;
  /** The same for HTML of any length. */
  filtered(html: string, options?: MarkupCall): Promise<string>;
  /**
   * Both forms of a description to store (content-api 4.2), or undefined where neither was sent. Scripts in links are
   * filtered by `describeHtml`, when the HTML is shown.
   */
  describe(input: {
    description?: string | undefined;
    description_html?: string | undefined;
  }): { description: string; description_html: string } | undefined;
  /** The `description_html` of answers: filtered, made from `plain` where the stored HTML is empty. */
  describeHtml(storedHtml: string, plain: string): string;
  /** The HTML to store of a comment: top-level text in a paragraph, then the filter of descriptions (content-api 10.2). */
  comment(html: string, options?: MarkupCall): Promise<string>;
  /**
   * The same of a comment in Markdown, with the elements that Markdown has: line breaks as typed, headings as bold lines, pictures as
   * links.
   */
  commentOfMarkdown(markdown: string, options?: MarkupCall): Promise<string>;
  /** Finds passages in a document; null in place of those that it does not have. */
  passages(html: string, wanted: readonly WantedPassage[], options?: MarkupCall): Promise<readonly (Passage | null)[]>;
  /** Plain text of HTML (content-api 15.5 @25): a new line for each element that is not inline. */
  text(html: string, options?: MarkupCall): Promise<string>;
  /**
   * Replaces addresses in document order: `change` returns the new address, null to remove the attribute, undefined to keep
   * it. The rest of the HTML is serialised anew.
   */
  readdress(html: string, change: (at: AddressAt) => string | null | undefined, options?: MarkupCall): Promise<string>;
  /**
   * Replaces link targets, old absolute URL to new one; the longest old URL wins, and a path, query or fragment after it
   * stays. Returns undefined where nothing changed (content-api 4.4).
   */
  relink(
    stored: { html: string; markdown: string },
    moved: ReadonlyMap<string, string>,
    options?: MarkupCall,
  ): Promise<{ html: string; markdown: string } | undefined>;
  /** Compares two texts by line, and changed lines by word. "long" for texts together beyond 400,000 characters. */
  compare(before: string, after: string, options?: MarkupCall): Promise<Comparison>;
  /**
   * The later of two documents as it is shown, with `ins` around what was added and `del` around what was removed:
   * sanitised, removed elements without ids. Undefined for documents together beyond 1,000,000 characters.
   */
  compareHtml(before: string, after: string, options?: MarkupCall): Promise<string | undefined>;
  /**
   * Merges two changes of one text by blocks: what only one changed is taken, what both changed differently is a collision.
   * Parts in order; all words of both are in them. Texts that cannot be compared in the time collide as a whole.
   */
  merge(
    format: "markdown" | "html",
    texts: { readonly base: string; readonly mine: string; readonly theirs: string },
    options?: MarkupCall,
  ): Promise<readonly MergedPart[]>;
}

declare module "lectern/core" {
  interface Contracts {
    markup: Markup;
  }
}
