/** A column that a table of items declares is one that each write of the item has to give: what is left out is an error of the compiler. */
import { expect, test } from "bun:test";
import type { Generated } from "kysely";
import type { ItemTable, OwnValues } from "lectern/core";
import type { ChaptersTable } from "../../plugins/content/chapters/contract.ts";
import type { PagesTable } from "../../plugins/content/pages/contract.ts";

interface NotesTable extends ItemTable {
  text: string;
  subtitle: string | null;
  pinned: Generated<boolean>;
}

const whole: OwnValues<NotesTable> = { text: "Milk, eggs", subtitle: null };
// @ts-expect-error a nullable column is missing
const nullable: OwnValues<NotesTable> = { text: "Milk, eggs" };
// @ts-expect-error a column is missing
const plain: OwnValues<NotesTable> = { subtitle: null };

type Named<Table, Shared = ItemTable> = keyof OwnValues<Table, Shared>;
const ofChapters: Record<Exclude<Named<ChaptersTable>, "description" | "description_html">, true> = {
  book_id: true,
  priority: true,
  default_template_id: true,
};
const ofPages: Record<Named<PagesTable>, true> = {
  ...{ book_id: true, chapter_id: true, html: true, markdown: true, text: true, rendered: true },
  ...{ priority: true, editor: true },
};

test("the columns that a write has to give are those without a default of the store", () => {
  expect([whole, nullable, plain].map((values) => Object.keys(values).sort())).toEqual([
    ["subtitle", "text"],
    ["text"],
    ["subtitle"],
  ]);
  expect(Object.keys(ofChapters)).toHaveLength(3);
  expect(Object.keys(ofPages)).toHaveLength(8);
});
