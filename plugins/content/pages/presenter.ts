import type { NoteRows, Viewer } from "lectern/core";
import type { FoundPage, PagesContext } from "./contract.ts";
import { renderIncludes } from "./includes.ts";

/** The field `comments` of single reads, which the plugin of comments fills. */
export const noComments = () => ({ active: [], archived: [] });

/** A page as answers show it (content-api 8.7), without the fields of other plugins. `note` is called with the included pages. */
export async function presentPage(context: PagesContext, page: FoundPage, viewer: Viewer, note?: NoteRows) {
  const rendered = page.rendered ?? (await renderIncludes(context, page, viewer, note));
  return {
    id: page.id,
    book_id: page.book_id,
    chapter_id: page.chapter_id,
    name: page.name,
    slug: page.slug,
    html: await postRendered(context, page.id, rendered),
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

/** Rendered HTML after the hooks `postRender` of themes and other plugins, in their order. */
export async function postRendered({ slot }: PagesContext, id: number, rendered: string): Promise<string> {
  let html = rendered;
  for (const { postRender } of slot("page_content")) html = (await postRender?.(html, { id })) ?? html;
  return html;
}
