import { type RawBuilder, sql, type Viewer } from "lectern/core";
import type { FoundPage } from "./contract.ts";
import { renderedFor } from "./includes.ts";
import type { Parts } from "./parts.ts";

/** What a row of a listing shows, of pages as they lie in a chapter too; needs the page's book (content-api 8.1). */
export const LISTED: RawBuilder<unknown> = sql`pages.id, pages.book_id, pages.chapter_id, pages.name, pages.slug,
  pages.priority, pages.draft, pages.revision_count, pages.template, pages.created_at, pages.updated_at,
  pages.created_by, pages.updated_by, pages.owned_by, pages.editor, books.slug as book_slug`;

/** A page as answers show it (content-api 8.7), without what other plugins add. */
export async function shownPage(parts: Parts, page: FoundPage, viewer: Viewer) {
  return {
    id: page.id,
    book_id: page.book_id,
    chapter_id: page.chapter_id,
    name: page.name,
    slug: page.slug,
    html: await hooked(parts, page.id, page.rendered ?? (await renderedFor(parts, page, viewer))),
    raw_html: page.html,
    priority: page.priority,
    created_at: page.created_at,
    updated_at: page.updated_at,
    ...page.people,
    draft: page.draft,
    markdown: page.markdown,
    revision_count: page.revision_count,
    template: page.template,
    editor: page.editor,
    tags: page.tags,
  };
}

/** What others make of it last, such as a theme. */
export async function hooked(parts: Parts, id: number, rendered: string): Promise<string> {
  let html = rendered;
  for (const { postRender } of parts.hooks()) html = (await postRender?.(html, { id })) ?? html;
  return html;
}
