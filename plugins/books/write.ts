import { authorOf, freeSlug, notFound, type ResourceHandlers, saveChanges, sql, type Tag, type Viewer } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { BooksContext } from "./_context.ts";
import type { Book, createRules, updateRules } from "./contract.ts";

type Handlers = ResourceHandlers<Book, typeof createRules, typeof updateRules, true>;

/** How books are created, changed and put into the bin (content-api 4). */
export function writing({ contracts: { tags, markup }, visible }: BooksContext): Pick<Handlers, "insert" | "change" | "remove"> {
  /** The template to store: the asked one if the viewer may use it, else none (content-api 4.7). */
  const templateOf = async (db: Db, viewer: Viewer, asked: number | null | undefined): Promise<number | null> => {
    if (!asked) return null;
    const [page] = await rows(db, sql`select 1 from pages
      where pages.id = ${asked} and pages.template and ${visible.where("pages", viewer)}`);
    return page ? asked : null;
  };
  return {
    async insert(draft, work) {
      const { db, viewer } = work;
      const author = authorOf(viewer);
      const { description, description_html } = markup.describe(draft) ?? { description: "", description_html: "" };
      const sentTags = tags.read(draft.tags);
      const slug = await freeSlug(db, "books", draft.name);
      const template = await templateOf(db, viewer, draft.default_template_id);
      const [book] = (await rows<Book>(db, sql`
        insert into books (name, slug, description, description_html, default_template_id, created_by, updated_by, owned_by)
        values (${draft.name}, ${slug}, ${description}, ${description_html}, ${template}, ${author}, ${author}, ${author})
        returning *`)) as [Book];
      if (sentTags.length > 0) await tags.save("book", book.id, sentTags, work);
      return { ...book, tags: sentTags };
    },
    async change(row, draft, work) {
      const { db, viewer } = work;
      const { id } = row;
      const [locked] = await rows<Book>(db, sql`select * from books where id = ${id} and deleted_at is null for update`);
      if (!locked) throw notFound("Book");
      // Whoever joins compares with the row as it was when the lock was taken, not when it was looked up.
      Object.assign(row, locked);
      const renamed = draft.name !== undefined && draft.name !== locked.name;
      const template = draft.default_template_id;
      const replaced = draft.tags === undefined ? undefined : tags.read(draft.tags);
      if (replaced) await tags.save("book", id, replaced, work);
      const wanted: Partial<Book> = {
        ...markup.describe(draft),
        updated_by: authorOf(viewer),
        ...(renamed && { name: draft.name, slug: await freeSlug(db, "books", draft.name, { id }) }),
        ...(template !== undefined && template !== locked.default_template_id
          && { default_template_id: await templateOf(db, viewer, template) }),
      };
      const saved = await saveChanges(db, "books", locked, { wanted, touched: replaced !== undefined });
      return { ...saved, tags: replaced ?? (await tagsOf(db, id)) };
    },
    async remove({ id }, { db }) {
      const gone = await rows(db, sql`update books set deleted_at = now() where id = ${id} and deleted_at is null returning id`);
      if (gone.length === 0) throw notFound("Book");
    },
  };

  async function tagsOf(db: Db, id: number): Promise<Tag[]> {
    const [found] = await rows<{ tags: Tag[] }>(db, sql`select ${tags.of("book", sql`${id}::integer`)} as tags`);
    return found?.tags ?? [];
  }
}
