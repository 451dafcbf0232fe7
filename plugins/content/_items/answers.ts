/** Parts of the schemas of answers about content. */
import {
  fieldsOf,
  idSchema,
  nullable,
  peopleIdFields,
  type Static,
  t,
  timesFields,
  timestampSchema,
} from "lectern/core";

/** A tag of an item (content-api 4.3). */
export const tagSchema = t.Object({ name: t.String(), value: t.String(), order: t.Integer() }, { $id: "Tag" });

/** Id, name and slug of an item. */
export const namedFields = { id: idSchema, name: t.String(), slug: t.String() };

/** An item as others refer to it. */
export const itemRefSchema = t.Object(namedFields, { $id: "ItemRef" });

/** The page whose content new pages start with; null for none. */
export const templateField = { default_template_id: nullable(idSchema) };

/** The cover, null without the plugin of images, which contributes its schema. */
export const coverField = { cover: t.Null() };

/** What all answers about described items have but their people. */
export const describedFields = { ...namedFields, description: t.String(), ...timesFields };

/** What answers about one described item add. */
export const savedFields = { description_html: t.String(), tags: t.Array(tagSchema) };

/** A book on a shelf, with the fields of listings but its cover. */
export const shelvedBookSchema = t.Object({ ...describedFields, ...peopleIdFields }, { $id: "ShelvedBook" });

const pageListFields = {
  ...namedFields,
  book_id: idSchema,
  chapter_id: nullable(idSchema),
  priority: t.Integer(),
  draft: t.Boolean(),
  revision_count: t.Integer(),
  template: t.Boolean(),
  ...timesFields,
  ...peopleIdFields,
  editor: t.String(),
  book_slug: t.String(),
};

/** A row of listings of pages (content-api 8.1). */
export const pageListItemSchema = t.Object(pageListFields, { $id: "PageListItem", ...fieldsOf("page", "listed") });

/** A page of a chapter (content-api 7), without the fields that other plugins add to listings. */
export const chapterPageSchema = t.Object(pageListFields, { $id: "ChapterPage" });

const entryFields = {
  ...namedFields,
  book_id: idSchema,
  priority: t.Integer(),
  url: t.String(),
  chapter_id: t.Optional(nullable(idSchema)),
  draft: t.Optional(t.Boolean()),
  template: t.Optional(t.Boolean()),
  created_at: t.Optional(timestampSchema),
  updated_at: t.Optional(timestampSchema),
  /** Pages within a chapter have none. */
  type: t.Optional(t.String()),
};

/** A page of a chapter within the contents of a book, or an item of another plugin. */
const nestedEntrySchema = t.Object(entryFields, { $id: "NestedContentsEntry", additionalProperties: true });

/** An entry of a book's contents (content-api 5.3): a chapter with its pages, a page, or an item of another plugin. */
export const contentsEntrySchema = t.Object(
  { ...entryFields, type: t.String(), pages: t.Optional(t.Array(nestedEntrySchema)) },
  { $id: "ContentsEntry", additionalProperties: true },
);

/** An entry of a book's contents. */
export type ContentsEntry = Static<typeof contentsEntrySchema>;
