import { deepFreeze, type EventTransaction, type SlotSpecs } from "lectern/core";
import type { EmbeddedPicture, PreparedContent } from "./markup.ts";

/**
 * Changes of pages beyond their routes, without an event and without a check of the viewer: only plugins that ship with Lectern may
 * call these functions. Others change pages by the API, as the viewer:
 * @example
 * export default definePlugin({
 *   name: "minutes",
 *   requires: ["pages"],
 *   grants: { impersonate: ["POST /api/pages"] },
 *   settings: t.Object({ book: t.Integer({ default: 1, env: "MINUTES_BOOK", description: "Id of the book of minutes" }) }),
 *   setup({ app, callAs, settings }) {
 *     app.post(
 *       "/minutes",
 *       ({ address, viewer }) => {
 *         const input = { book_id: settings.book, name: "Minutes", markdown: "# Agenda" };
 *         return callAs(viewer, "POST", "/api/pages", { input, address });
 *       },
 *       { permit: "access-api" },
 *     );
 *   },
 * });
 */
export interface Pages {
  /**
   * Replaces the stored HTML and Markdown of a page, such as links to new addresses: keeps a revision with this summary,
   * sets updated_at, leaves author and editor, performs no event (content-api 4.4). The caller locks the row before it reads
   * the content. Does nothing where there is no such page.
   */
  rewrite(
    id: number,
    content: { readonly html: string; readonly markdown: string },
    summary: string,
    tx: EventTransaction,
  ): Promise<void>;
  /**
   * Stores an unfinished page as a draft page of the viewer and returns its id: the draft page `id` where that is still one
   * of the viewer, else a new one. Performs no event; embedded pictures stay in the text until the page is published.
   */
  keepDraft(draft: DraftPage, tx: EventTransaction): Promise<number>;
  /** Permanently removes draft pages, with their dependents; published and deleted pages stay. */
  discardDrafts(ids: readonly number[], tx: EventTransaction): Promise<void>;
}

/** A page that is not published yet. */
export interface DraftPage {
  /** The draft page to replace; null for none. */
  readonly id: number | null;
  readonly parent: { readonly kind: "book" | "chapter"; readonly id: number };
  readonly name: string;
  readonly html: string;
  readonly markdown: string;
  /** The result of `Markup.prepare` for this content, computed before the transaction. */
  readonly prepared?: PreparedContent | undefined;
}

/**
 * Stores pictures that arrive as base64 in a page's content (content-api 9.5).
 * @example
 * context.contribute("picture_keeper", {
 *   async keep({ bytes, extension }, pageId, tx) {
 *     const key = `${pageId}/${crypto.randomUUID()}.${extension}`;
 *     tx.onRollback(() => context.files.remove(key));
 *     await context.files.put(key, bytes);
 *     return `${context.baseUrl}/pictures/${key}`;
 *   },
 * });
 */
export interface PictureKeeper {
  /** Stores a picture of a page. Returns its URL, or undefined where the viewer may not store it. */
  keep(picture: EmbeddedPicture, pageId: number, tx: EventTransaction): Promise<string | undefined>;
}

declare module "lectern/core" {
  interface Contracts {
    pages: Pages;
  }
  interface Slots {
    /** Only the first contribution is used; without one embedded pictures lose their source. */
    picture_keeper: PictureKeeper;
  }
}

/** What is known of these slots beside their types. */
export const pictureSlots = deepFreeze({
  picture_keeper: { members: { keep: "function" }, ships: ["keep"], limit: "long" },
} as const satisfies SlotSpecs);
