import { mergeResponseFields, responseFieldsOf, withResponseFields } from "lectern/contracts";
import { type ListSpec, mountResource, type PluginContext, type ResourceSpec, sql } from "lectern/core";
import { about, examples } from "./about.ts";
import type { FoundPage, PageRow } from "./contract.ts";
import { pageFinder } from "./find.ts";
import { findParent, liesIn, type NamedParent, parentIn } from "./parents.ts";
import type { Parts } from "./parts.ts";
import { createRules, updateRules } from "./rules.ts";
import { changePage, insertPage, removePage } from "./save.ts";
import { LISTED, shownPage } from "./show.ts";

const list: ListSpec = {
  table: "pages",
  fields: {
    id: "integer",
    book_id: "integer",
    chapter_id: { type: "integer", nullable: true, zeroIsNull: true },
    name: { type: "text", key: "name_key" },
    slug: "code",
    priority: "integer",
    draft: "boolean",
    template: "boolean",
    created_at: "timestamp",
    updated_at: "timestamp",
    created_by: { type: "integer", nullable: true },
    updated_by: { type: "integer", nullable: true },
    owned_by: { type: "integer", nullable: true },
  },
  columns: LISTED,
  joins: sql`join books on books.id = pages.book_id`,
};

const spec: ResourceSpec<typeof createRules, typeof updateRules> = {
  name: "page",
  noun: "Page",
  path: "/pages",
  create: createRules,
  update: updateRules,
  bodyFirst: true,
  list,
  about,
  examples,
};

const NO_COMMENTS = { active: [], archived: [] };

/** Mounts the five routes of pages. */
export function mountPages(
  context: Pick<PluginContext, "app" | "list" | "validate" | "perform" | "slot">,
  parts: Parts,
): void {
  const { access, tags } = parts.contracts;
  const { slot } = context;
  const find = pageFinder(parts);
  const counted = { ...spec, list: { ...list, reach: access.reach("page", "pages") } };
  mountResource<PageRow | FoundPage, typeof createRules, typeof updateRules, NamedParent>(context, counted, {
    find: find.seen,
    may: (viewer, verb, row) => access.may(viewer, `page-${verb}`, row),
    async place(viewer, draft) {
      if (draft?.tags !== undefined) tags.read(draft.tags);
      const named = parentIn(draft ?? {}) as NamedParent;
      await access.need(viewer, "page-create", await findParent(parts, viewer, named));
      return named;
    },
    async arrange(viewer, row, draft) {
      if (draft.tags !== undefined) tags.read(draft.tags);
      const wished = parentIn(draft);
      if (!wished) return;
      const parent = await findParent(parts, viewer, wished);
      if (liesIn(row, wished)) return;
      await access.need(viewer, "page-delete", row);
      await access.need(viewer, "page-create", parent);
    },
    insert: (draft, tx, named) => insertPage(parts, draft, named, tx),
    change: (row, draft, tx) => changePage(parts, { row: row as PageRow, draft }, tx),
    remove: (row, tx) => removePage(row as PageRow, tx),
    listed: (records) => [...records],
    ahead: (viewer, id) => responseFieldsOf(slot("response_fields"), "page", "read", [id], viewer),
    async show(row, viewer, moment, ahead) {
      const page = await shownPage(parts, "tags" in row ? row : await find.written(row.id), viewer);
      if (moment === "saved")
        return (await withResponseFields(slot("response_fields"), "page", "saved", [page], viewer))[0];
      return mergeResponseFields([{ ...page, comments: NO_COMMENTS }], (await ahead) ?? [])[0];
    },
  });
}
