/** Marks pages as templates, which new pages and texts start from. A mark is no change of the content, so it makes no revision. */
import { withResponseFields } from "lectern/contracts";
import { endpoint, idOf, notFound } from "lectern/core";
import { prepared } from "lectern/db";
import { type FoundPage, type PageRow, type PagesContext, pageAnswers, templateRules } from "./contract.ts";
import { templateAbout, templateExample } from "./docs.ts";
import { presentPage } from "./presenter.ts";
import { pageFinder } from "./queries.ts";

// Others may be writing: revision_count stays, so that what they save is no conflict.
const mark = prepared("pages.mark", (db, p: { id: number; template: boolean }) =>
  db.updateTable("pages").set({ template: p.template }).where("id", "=", p.id).returningAll(),
);

/** Mounts the route that marks a page as a template, or takes the mark away. */
export function mountTemplates(context: PagesContext): void {
  const { app, contracts, perform, slot, validate } = context;
  const find = pageFinder(context);
  app.put(
    "/pages/:id/template",
    async ({ viewer, params, input }) => {
      const page = await find.visible(viewer, idOf(params.id, "Page"));
      if (!page) throw notFound("Page");
      await contracts.access.need(viewer, "page-update", page);
      const { template } = await validate(templateRules, input, viewer);
      // The filter of page_update replaces the row by the locked one, which has all columns.
      const change = { row: page as PageRow & FoundPage, draft: {} };
      const { id } = await perform("page_update", viewer, change, (final, tx) =>
        mark.executeTakeFirstOrThrow(tx.db, { id: final.row.id, template }),
      );
      const shown = await presentPage(context, await find.written(id), viewer);
      const [saved = shown] = await withResponseFields(slot("response_fields"), "page", "saved", [shown], viewer);
      return saved;
    },
    {
      permit: "templates-manage",
      response: pageAnswers.saved,
      ...endpoint("pages", "template", { about: templateAbout, rules: templateRules, example: templateExample }),
    },
  );
}
