import type { Ui, Web } from "lectern/contracts";
import { type Html, type HtmlPart, html } from "lectern/core";

/** What the steps of an instance without content are drawn from. */
export interface HomeStartData {
  readonly baseUrl: string;
  /** Whether the command that copies a BookStack is there. */
  readonly hasMigrate: boolean;
}

/** As shells write a variable. */
const SHELL_TOKEN = "$TOKEN";

/** What to begin with on an instance without content: what the reader may do, or that there is nothing yet. */
export function drawStart({ parts }: Web, { baseUrl, hasMigrate }: HomeStartData, ui: Ui): Html {
  const { t } = ui;
  const isAdmin = ui.may("settings-manage");
  const command = (label: string, value: string) => parts.copyable(ui, { label, value, lines: true });
  const mayCreate = (ui.may("book-create-all") || ui.may("book-create-own")) && ui.serves("/create-book");
  const link = (path: string, icon: string, text: string) =>
    ui.serves(path) &&
    html`<p><a role="button" class="secondary outline" href="${ui.url(path)}">${ui.icon(icon)} ${text}</a></p>`;
  const steps: HtmlPart[] = [
    ui.may("content-import") &&
      ui.serves("/api/imports", "POST") &&
      step(
        "import",
        t("Import a ZIP"),
        html`<p>${t("A portable ZIP of this or another instance, or of BookStack, becomes a book, with pictures and attachments.")}</p>
${command(t("With a token of yours"), `curl -s ${baseUrl}/api/imports -H "Authorization: Token ${SHELL_TOKEN}" -F file=@book.zip\ncurl -s -X POST ${baseUrl}/api/imports/1 -H "Authorization: Token ${SHELL_TOKEN}"`)}
${ui.may("access-api") && link("/my-account/tokens", "key", t("API tokens"))}`,
        ui,
      ),
    isAdmin &&
      hasMigrate &&
      step(
        "into",
        t("Move in from BookStack"),
        html`<p>${t("One command copies a whole BookStack: content, pictures, users, roles and permissions. Run again, it copies what has changed.")}</p>
${command(t("On the server"), `npx --no lectern migrate-from --base-url https://wiki.example.com --token "$TOKEN"`)}`,
        ui,
      ),
    ui.may("users-manage") &&
      ui.serves("/settings/users") &&
      step(
        "users",
        t("Invite people"),
        html`<p>${t("Give your colleagues accounts, and roles that say what they may do.")}</p>${link("/settings/users", "users", t("Users"))}`,
        ui,
      ),
    isAdmin &&
      ui.serves("/settings/appearance") &&
      step(
        "settings",
        t("Name and logo"),
        html`<p>${t("Give the instance a name, a logo and colors of its own.")}</p>${link("/settings/appearance", "image", t("Name and look"))}`,
        ui,
      ),
  ];
  return html`<p>${t("There is no content yet.")}</p>${
    mayCreate &&
    html`<p><a role="button" href="${ui.url("/create-book")}">${ui.icon("plus")} ${t("Create the first book")}</a></p>`
  }${steps.some((each) => each !== false) && html`<div class="cards">${steps}</div>`}`;
}

function step(icon: string, title: string, body: Html, ui: Ui): Html {
  const id = `start-${icon}`;
  return html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${ui.icon(icon)} ${title}</h2>${body}</section>`;
}
