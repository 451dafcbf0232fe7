/**
 * What the plugin "markup" offers to whoever stores or shows text with markup: pages, descriptions, comments, exports.
 *
 * Everything here is a function of its arguments, so that saving, rendering, exporting and importing agree about
 * what a piece of HTML means. What is large is worked on in a child process, for at most the time and memory a task may
 * take: functions that return a promise reject with ApiError 422 or 503 where it takes more. Stored HTML is never sanitised (content-api 9.1): what a page returns as `raw_html` is
 * what was sent, with ids. Whatever is shown to a browser went through `rendered`, `render`, `safe`, `filtered` or
 * `describeHtml`.
 */
import type { Viewer } from "../viewer.ts";

/** A picture found inside a text, decoded from base64 (content-api 9.5). */
export interface EmbeddedPicture {
  /** The decoded bytes; their first bytes have been found to be those of a picture. */
  bytes: Uint8Array;
  /** The subtype of its data URL: one of jpg, jpeg, png, gif, webp, avif. */
  extension: string;
}

/** Keeps a picture and answers with its full URL, or with `undefined` if it may not be kept. */
export type SaveImage = (picture: EmbeddedPicture) => Promise<string | undefined>;

/** Everything that is derived from a page's content when it is saved (content-api 9.1). */
export interface StoredContent {
  /** What is returned as `raw_html`: as sent, ids set, not sanitised. */
  html: string;
  /** The Markdown as stored, without base64 pictures; `""` for a page written in HTML. */
  markdown: string;
  /** Plain text for search, include tags blanked. */
  text: string;
  /** Filtered HTML ready to serve, or null when the page has include tags and must be rendered per reader. */
  rendered: string | null;
  /** Ids of the pages that include tags name, unique, in order of appearance. */
  includes: readonly number[];
  /** Targets of links as written, without fragment, unique: for tracking references. */
  links: readonly string[];
}

/**
 * Answers stored HTML by page id; a page the reader may not see is missing from the map (content-api 9.4). Pages that
 * would make more than `maxBytes` may be answered as null, so that nobody has to hold them.
 */
export type LoadPages = (pageIds: readonly number[], maxBytes: number) => Promise<ReadonlyMap<number, string | null>>;

/**
 * Answers what takes the place of an include tag: `reference` is what stands in it, such as "12#section", `html` what it
 * would show, and `pageId` the page it names, null where the reader may not see it.
 */
export type Included = (reference: string, html: string, pageId: number | null) => Promise<string>;

/** An address in an element: what is asked about it. */
export interface AddressAt {
  /** Name of the element in lower case: "img". */
  readonly element: string;
  /** The attribute: href, src, srcset, poster, data. */
  readonly attribute: string;
  readonly address: string;
}

/** Content as it is sent. */
export type SentContent = { readonly html: string } | { readonly markdown: string };

/** On whose behalf a text is worked on: no viewer occupies all child processes. */
export interface MarkupCall {
  readonly viewer?: Pick<Viewer, "id">;
}

/** Content that was made ready to be stored, but for its pictures. */
export interface PreparedContent {
  /** Keeps the pictures. Rejects only if `saveImage` does. Without it embedded pictures lose their source. */
  keep(saveImage?: SaveImage): Promise<StoredContent>;
}

/** Conversion, cleaning and rewriting of text with markup. No function throws on broken input. */
export interface Markup {
  /**
   * Prepares a page's content for storing: pictures out, Markdown to HTML, ids, plain text (content-api 9.1).
   * Rejects with ApiError 422 for content beyond the limits of bytes and elements, and if `saveImage` does. Without
   * `saveImage` embedded pictures lose their source.
   */
  store(input: SentContent, options?: MarkupCall & { saveImage?: SaveImage }): Promise<StoredContent>;
  /**
   * The same in two steps: what takes long first, so that it can be done before a transaction begins, and then the
   * pictures, for which the page has to be known.
   */
  prepare(input: SentContent, options?: MarkupCall): Promise<PreparedContent>;
  /** Content as its page would show it, without storing anything. Includes are left as they are. */
  preview(input: SentContent, options?: MarkupCall): Promise<string>;
  /**
   * Renders stored HTML for a reader: includes resolved in at most three passes with one `load` each, ids made unique
   * again if anything was included, script filter applied (content-api 9.4). `included` may put other HTML in place of
   * each. Includes beyond the number and size that the operator allows become a notice. Rejects only if `load` or
   * `included` does.
   */
  render(storedHtml: string, load: LoadPages, included?: Included, options?: MarkupCall): Promise<string>;
  /**
   * Removes whatever could run, and form controls (content-api 9.3). The result parses back to itself. For what is known
   * to be short.
   */
  safe(html: string): string;
  /** The same for HTML of any length. */
  filtered(html: string, options?: MarkupCall): Promise<string>;
  /**
   * Both forms of a description to store (content-api 4.2), or `undefined` when neither was sent. The HTML is not
   * filtered for scripts in links; `describeHtml` does that when it is shown.
   */
  describe(input: {
    description?: string | undefined;
    description_html?: string | undefined;
  }): { description: string; description_html: string } | undefined;
  /** What is returned as `description_html` for a stored pair: empty HTML is built from `plain`; filtered. */
  describeHtml(storedHtml: string, plain: string): string;
  /** A comment's HTML to store: the description filter, once bare top-level text has a paragraph (content-api 10.2). */
  comment(html: string, options?: MarkupCall): Promise<string>;
  /** Plain text of HTML (content-api 15.5 @25): a new line for each element that is not inline. */
  text(html: string, options?: MarkupCall): Promise<string>;
  /**
   * Replaces addresses in elements, each asked about in document order: a text is the new address, null takes the
   * attribute away, undefined leaves it. The rest of the HTML comes back as the runtime writes it.
   */
  readdress(html: string, change: (at: AddressAt) => string | null | undefined, options?: MarkupCall): Promise<string>;
  /**
   * Replaces link targets, old absolute URL to new one; a path, fragment or query after it is kept, and the longest
   * old URL wins. Answers `undefined` if nothing changed (content-api 4.4).
   */
  relink(
    stored: { html: string; markdown: string },
    moved: ReadonlyMap<string, string>,
    options?: MarkupCall,
  ): Promise<{ html: string; markdown: string } | undefined>;
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    markup: Markup;
  }
}
