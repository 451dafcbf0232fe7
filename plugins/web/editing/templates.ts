/** Templates: pages that writers insert while they write, and the screen that marks a page as one. The API checks permissions. */
import { pagePath, type Visit } from "lectern/contracts";
import { ApiError, html } from "lectern/core";
import type { EditingContext } from "./contract.ts";
import { markdownOf } from "./editor_input.ts";
import { type Page, pageOf } from "./items.ts";

/** Templates that are offered at once; words of their names find others. */
const MAX_TEMPLATES = 12;

/** Mounts the request of the editor for templates, and the screen that marks a page. */
export function mountTemplates({ app, web }: EditingContext): void {
  web.screen(app.site, "/editor/templates", "user", async (visit) => {
    const query = typeof visit.query.query === "string" ? visit.query.query.trim() : "";
    return Response.json({ data: await templatesFor(visit, query) });
  });
  const path = "/books/:book/page/:page/template";
  web.screen(app.site, path, "templates-manage", async (visit) => {
    const { book, page } = await pageOf(visit);
    const { t } = visit.ui;
    const title = page.template
      ? t("No longer offer “:name” as a template?", { name: page.name })
      : t("Offer “:name” as a template?", { name: page.name });
    const about = t(
      "Writers who can see a template insert it into their pages, and new pages of a book or chapter can start with it.",
    );
    const form = web.parts.form(visit.ui, {
      action: `${pagePath(book, page)}/template`,
      submit: page.template ? t("No longer offer") : t("Offer as a template"),
      cancel: pagePath(book, page),
      fields: html`<p>${about}</p>`,
    });
    const body = html`<h1>${title}</h1>${form}`;
    return { title, body, menu: "/books" };
  });
  web.form(app.site, path, "templates-manage", async (visit) => {
    const { book, page } = await pageOf(visit);
    const sent = await visit.send("PUT", `/api/pages/${page.id}/template`, { template: !page.template });
    if (!sent.ok) throw new ApiError(sent.status, sent.message);
    const { t } = visit.ui;
    const said = sent.body.template ? t("The page is offered as a template.") : t("The page is no longer a template.");
    return visit.goTo(pagePath(book, page), said);
  });
}

/** The templates that the user sees whose names contain some words, with their content in both formats. */
async function templatesFor(visit: Visit, query: string) {
  const like = `%${query.replace(/[\\%_]/g, "\\$&")}%`;
  const named = query === "" ? "" : `&filter[name:like]=${encodeURIComponent(like)}`;
  const { data } = await visit.get(
    `/api/pages?filter[template]=true&filter[draft]=false${named}&sort=name&count=${MAX_TEMPLATES}`,
  );
  const found = await Promise.all(data.map(({ id }) => visit.findItem("page", { id })));
  return Promise.all(found.filter((page) => page !== undefined).map((page) => contentOf(visit, page)));
}

async function contentOf(visit: Visit, { id, name, raw_html: html, markdown }: Page) {
  return { id, name, html, markdown: markdown !== "" || html === "" ? markdown : await markdownOf(visit, html) };
}
