/**
 * The screen of a page's attachments: add and delete files and links. Renaming and moving is possible only through the API, as it
 * is rare; the screen of the page shows the attachments.
 */
import { type Answers, pagePath, type Screen, type SubmitResult, type Visit } from "lectern/contracts";
import { ApiError, type Html, html } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";
import type { EditingContext } from "./contract.ts";
import { errorsIn, fileIn } from "./fields.ts";
import { type Book, type Page, pageOf } from "./items.ts";

type Attachment = Answers["/api/attachments"]["data"][number];

/** Data of the screen. */
export interface AttachmentsData {
  readonly page: Page;
  readonly path: string;
  readonly attachments: readonly Attachment[];
  readonly name: string;
  readonly link: string;
  readonly sent: SubmitResult<unknown> | undefined;
}

/** Mounts the screen. */
export function mountAttachments({ app, web }: EditingContext): void {
  const { parts } = web;
  const view = web.view("editing/attachments", ({ page, path, attachments, name, link, sent }, ui): Html => {
    const { t } = ui;
    const { errors, error } = errorsIn(sent);
    const rows = attachments.map((each) => [
      html`<a href="${ui.url(`/attachments/${each.id}`)}">${ui.icon(each.external ? "link" : "attachment")} ${each.name}</a>`,
      each.external ? t("Link") : each.extension,
      html`<div class="actions">${parts.dialogLink(ui, { path: `${path}/attachments/${each.id}/delete`, text: t("Delete"), icon: "delete", kind: "danger" })}</div>`,
    ]);
    return html`<h1>${t("Attachments of “:name”", { name: page.name })}</h1>
${parts.table(ui, { caption: t("Attachments"), head: [t("Name"), t("Type"), html`<span class="unseen">${t("Actions")}</span>`], rows, empty: t("This page has no attachments yet.") })}
<h2>${t("Add a file or a link")}</h2>
${parts.form(ui, {
  action: `${path}/attachments`,
  files: true,
  error,
  submit: t("Add"),
  cancel: path,
  fields: html`${parts.field(ui, { name: "name", label: t("Name"), value: name, required: true, maxlength: 255, errors: errors.name })}
${parts.field(ui, { name: "file", label: t("File"), type: "file", errors: errors.file })}
${parts.field(ui, { name: "link", label: t("Or the URL of a link"), value: link, errors: errors.link, placeholder: "https://" })}`,
})}`;
  });
  const shown = async (visit: Visit, book: Book, page: Page, sent?: SubmitResult<unknown>): Promise<Screen> => {
    const { data } = await visit.get(`/api/attachments?count=500&filter[uploaded_to]=${page.id}`);
    const path = pagePath(book, page);
    const typed = { name: visit.text("name"), link: visit.text("link") };
    const title = visit.ui.t("Attachments of “:name”", { name: page.name });
    const body = view({ page, path, attachments: data, sent, ...typed }, visit.ui);
    return { title, body, menu: "/books", status: sent && !sent.ok ? sent.status : 200 };
  };

  const at = "/books/:book/page/:page/attachments";
  web.screen(app.site, at, "user", async (visit) => {
    const { book, page } = await pageOf(visit);
    return shown(visit, book, page);
  });
  web.form(app.site, at, "user", async (visit) => {
    const { book, page } = await pageOf(visit);
    const file = fileIn(visit, "file");
    const sent = await visit.send("POST", "/api/attachments", {
      name: visit.text("name"),
      uploaded_to: page.id,
      ...(file === undefined ? { link: visit.text("link") } : { file }),
    });
    return sent.ok
      ? visit.goTo(`${pagePath(book, page)}/attachments`, visit.ui.t("The attachment is added."))
      : shown(visit, book, page, sent);
  });
  web.screen(app.site, `${at}/:attachment/delete`, "user", async (visit) => {
    const { book, page } = await pageOf(visit);
    const attachment = await visit.get(`/api/attachments/${idOf(visit, "attachment")}`);
    const { ui } = visit;
    const title = ui.t("Delete “:name”?", { name: attachment.name });
    const path = `${pagePath(book, page)}/attachments`;
    const body = parts.confirm(ui, {
      question: title,
      detail: ui.t("It is deleted immediately. This cannot be undone."),
      action: `${path}/${attachment.id}/delete`,
      submit: ui.t("Delete"),
      back: path,
    });
    return { title, body, menu: "/books" };
  });
  web.form(app.site, `${at}/:attachment/delete`, "user", async (visit) => {
    const { book, page } = await pageOf(visit);
    const sent = await visit.send("DELETE", `/api/attachments/${idOf(visit, "attachment")}`);
    if (!sent.ok) throw new ApiError(sent.status, sent.message);
    return visit.goTo(`${pagePath(book, page)}/attachments`, visit.ui.t("The attachment is deleted."));
  });
}
