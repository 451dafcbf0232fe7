import type { EventTransaction } from "../events/event_bus.ts";
import type { EmbeddedPicture, PreparedContent } from "./markup.ts";

/** What other plugins ask of pages beyond their routes. */
export interface Pages {
  /**
   * Replaces the stored HTML and Markdown of a page by others that say the same, such as links to new addresses: counts
   * and keeps a revision with this summary, sets updated_at, leaves author, editor and events alone (content-api 4.4).
   * The row should be locked by the caller who read the content. Does nothing where there is no such page.
   */
  rewrite(
    id: number,
    content: { readonly html: string; readonly markdown: string },
    summary: string,
    tx: EventTransaction,
  ): Promise<void>;
  /**
   * Stores a new page that is still being written as a draft page of the viewer, and answers its id. It replaces the
   * content of the draft page `id`; without one, or if that is no draft page of the viewer any more, it makes another.
   * No event is performed, and embedded pictures stay in the text until the page is published.
   */
  keepDraft(draft: DraftPage, tx: EventTransaction): Promise<number>;
  /** Removes draft pages for good, with what hangs on them; a page that is published or in the recycle bin stays. */
  discardDrafts(ids: readonly number[], tx: EventTransaction): Promise<void>;
}

/** A new page that is not published yet. */
export interface DraftPage {
  /** The draft page to replace, if there is one. */
  readonly id: number | null;
  readonly parent: { readonly kind: "book" | "chapter"; readonly id: number };
  readonly name: string;
  readonly html: string;
  readonly markdown: string;
  /** What `Markup.prepare` made of this content before the transaction began, so that nobody waits for it meanwhile. */
  readonly prepared?: PreparedContent | undefined;
}

/** Keeps pictures that arrive as base64 inside a page's content (content-api 9.5). */
export interface PictureKeeper {
  /** Keeps a picture for a page and answers with its full URL, or with undefined where it may not be kept. */
  keep(picture: EmbeddedPicture, pageId: number, tx: EventTransaction): Promise<string | undefined>;
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    pages: Pages;
  }
  interface Slots {
    /** Who keeps embedded pictures; the first contribution is asked. Without any, such pictures lose their source. */
    picture_keeper: PictureKeeper;
  }
}
