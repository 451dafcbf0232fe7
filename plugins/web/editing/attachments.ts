/**
 * The screens of a page's attachments: add files and links, rename, replace, sort and delete them. They work without scripts; the drawer of the
 * editor does the same beside the text, by the requests of `drawer_requests.ts`. The screen of the page shows the attachments.
 */
import { type Answers, pagePath, type Screen, type SubmitResult, type Ui, type Visit } from "lectern/contracts";
import { ApiError, type Html, html } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";
import type { EditingContext } from "./contract.ts";
import { changeOfAttachment, nameOfFile } from "./drawer_requests.ts";
import { errorsIn, filesIn } from "./fields.ts";
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

const AT = "/books/:book/page/:page/attachments";

/** Mounts the screen. */
export function mountAttachments({ app, web }: EditingContext): void {
  const { parts } = web;
  const view = web.view("editing/attachments", ({ page, path, attachments, name, link, sent }, ui): Html => {
    const { t } = ui;
    const { errors, error } = errorsIn(sent);
    const rows = attachments.map((each, at) => [
      html`<a id="attachment-${each.id}" href="${ui.url(`/attachments/${each.id}`)}">${ui.icon(each.external ? "link" : "attachment")} ${each.name}</a>`,
      each.external ? t("Link") : each.extension,
      html`<div class="actions">${attachments.length > 1 && sortButtons({ ...each, at, of: attachments.length }, `${path}/attachments/${each.id}/edit`, ui)}<a role="button" class="small secondary outline" href="${ui.url(`${path}/attachments/${each.id}/edit`)}">${ui.icon("edit")} ${t("Edit")}<span class="unseen"> ${each.name}</span></a>${parts.dialogLink(ui, { path: `${path}/attachments/${each.id}/delete`, text: t("Delete"), icon: "delete", kind: "danger" })}</div>`,
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
  fields: html`${parts.field(ui, { name: "name", label: t("Name"), value: name, maxlength: 255, errors: errors.name, help: t("Files without a name get the one that they have.") })}
${parts.field(ui, { name: "file[]", label: t("Files"), type: "file", multiple: true, errors: errors.file })}
${parts.field(ui, { name: "link", label: t("Or the URL of a link"), value: link, errors: errors.link, placeholder: "https://" })}`,
})}`;
  });
  const shown = async (visit: Visit, book: Book, page: Page, sent?: SubmitResult<unknown>): Promise<Screen> => {
    const { data } = await visit.get(`/api/attachments?count=500&sort=order&filter[uploaded_to]=${page.id}`);
    const path = pagePath(book, page);
    const typed = { name: visit.text("name"), link: visit.text("link") };
    const title = visit.ui.t("Attachments of “:name”", { name: page.name });
    const body = view({ page, path, attachments: data, sent, ...typed }, visit.ui);
    return { title, body, menu: "/books", status: sent && !sent.ok ? sent.status : 200 };
  };

  web.screen(app.site, AT, "user", async (visit) => {
    const { book, page } = await pageOf(visit);
    return shown(visit, book, page);
  });
  web.form(app.site, AT, "user", async (visit) => {
    const { book, page } = await pageOf(visit);
    const sent = await addAll(visit, page);
    return sent.ok
      ? visit.goTo(`${pagePath(book, page)}/attachments`, visit.ui.t("The attachment is added."))
      : shown(visit, book, page, sent);
  });
  mountChange({ app, web });
  web.screen(app.site, `${AT}/:attachment/delete`, "user", async (visit) => {
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
  web.form(app.site, `${AT}/:attachment/delete`, "user", async (visit) => {
    const { book, page } = await pageOf(visit);
    const sent = await visit.send("DELETE", `/api/attachments/${idOf(visit, "attachment")}`);
    if (!sent.ok) throw new ApiError(sent.status, sent.message);
    return visit.goTo(`${pagePath(book, page)}/attachments`, visit.ui.t("The attachment is deleted."));
  });
}

/** Buttons that move an attachment past its neighbours; each sends its new position. Those at an end have one that does nothing. */
function sortButtons(
  { name, at, of }: { readonly name: string; readonly at: number; readonly of: number },
  action: string,
  ui: Ui,
): Html {
  const button = (icon: "up" | "down", order: number, label: string) =>
    html`<button class="small secondary outline" name="order" value="${order}" aria-label="${label}" title="${label}"${(order < 1 || order > of) && html` disabled`}>${ui.icon(icon)}</button>`;
  return html`<form class="inline" method="post" action="${ui.url(action)}"><input type="hidden" name="sorted" value="true"><span class="order-buttons">${button("up", at, ui.t("Move “:name” up", { name }))}${button("down", at + 2, ui.t("Move “:name” down", { name }))}</span></form>`;
}

/** Adds the link, or each of the files, with the name of the form where there is only one. Stops at the first that is refused. */
async function addAll(visit: Visit, page: Page): Promise<SubmitResult<unknown>> {
  const named = visit.text("name");
  const files = filesIn(visit, "file");
  if (files.length === 0)
    return visit.send("POST", "/api/attachments", { name: named, uploaded_to: page.id, link: visit.text("link") });
  let sent: SubmitResult<unknown> | undefined;
  for (const file of files) {
    const name = files.length === 1 && named !== "" ? named : nameOfFile(file.name);
    sent = await visit.send("POST", "/api/attachments", { name, uploaded_to: page.id, file });
    if (!sent.ok) break;
  }
  return sent as SubmitResult<unknown>;
}

/** Mounts the screen that renames, replaces and moves an attachment. */
function mountChange({ app, web }: Pick<EditingContext, "app" | "web">): void {
  const { parts } = web;
  const shown = async (visit: Visit, sent?: SubmitResult<unknown>): Promise<Screen> => {
    const { book, page } = await pageOf(visit);
    const attachment = await visit.get(`/api/attachments/${idOf(visit, "attachment")}`);
    const { ui } = visit;
    const path = `${pagePath(book, page)}/attachments`;
    const { errors, error } = errorsIn(sent);
    const value = (name: string, present: string | number) => (sent ? visit.text(name) : present);
    const replacement = attachment.external
      ? { name: "link", label: ui.t("URL"), value: value("link", attachment.content), errors: errors.link }
      : { name: "file", label: ui.t("Replace the file"), type: "file", errors: errors.file };
    const fields = html`${parts.field(ui, { name: "name", label: ui.t("Name"), value: value("name", attachment.name), required: true, maxlength: 255, errors: errors.name })}
${parts.field(ui, replacement)}
${parts.field(ui, { name: "order", label: ui.t("Position on the page"), type: "number", min: 1, value: value("order", attachment.order), errors: errors.order })}`;
    const title = ui.t("Edit “:name”", { name: attachment.name });
    const action = `${path}/${attachment.id}/edit`;
    const form = parts.form(ui, { action, files: true, error, submit: ui.t("Save"), cancel: path, fields });
    return {
      title,
      body: html`<h1>${title}</h1>${form}`,
      menu: "/books",
      status: sent && !sent.ok ? sent.status : 200,
    };
  };
  web.screen(app.site, `${AT}/:attachment/edit`, "user", (visit) => shown(visit));
  web.form(app.site, `${AT}/:attachment/edit`, "user", async (visit) => {
    const { book, page } = await pageOf(visit);
    const sent = await visit.send("PUT", `/api/attachments/${idOf(visit, "attachment")}`, changeOfAttachment(visit));
    if (!sent.ok) return shown(visit, sent);
    const path = `${pagePath(book, page)}/attachments`;
    const isSorted = visit.text("sorted") !== "";
    return visit.goTo(
      isSorted ? `${path}#attachment-${visit.params.attachment}` : path,
      visit.ui.t("The attachment is saved."),
    );
  });
}
