import type { Work } from "../bus.ts";
import type { EmbeddedPicture } from "./markup.ts";

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
    work: Work,
  ): Promise<void>;
}

/** Keeps pictures that arrive as base64 inside a page's content (content-api 9.5). */
export interface PictureKeeper {
  /** Keeps a picture for a page and answers with its full URL, or with undefined where it may not be kept. */
  keep(picture: EmbeddedPicture, pageId: number, work: Work): Promise<string | undefined>;
}

declare module "../registry.ts" {
  interface Contracts {
    pages: Pages;
  }
  interface Slots {
    /** Who keeps embedded pictures; the first contribution is asked. Without any, such pictures lose their source. */
    picture_keeper: PictureKeeper;
  }
}
