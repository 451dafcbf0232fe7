import type { Visit } from "lectern/contracts";
import { html, notFound } from "lectern/core";
import type { ReadingContext } from "./contract.ts";

const PATH = "/notifications/unsubscribe/:user/:key";

/**
 * The link of mails that ends them, which needs no session: a GET changes nothing and shows a button, as programs open links of mails by
 * themselves; a POST ends the mails, that of the button and that of a mail program alike (RFC 8058).
 */
export function mountUnsubscribe({ app, web }: ReadingContext): void {
  const { parts } = web;
  const path = ({ params: { user = "", key = "" } }: Visit) =>
    `${encodeURIComponent(user)}/${encodeURIComponent(key)}` as const;
  web.screen(app.site, PATH, "public", (visit) => {
    const { t } = visit.ui;
    if (!visit.ui.serves("/api/notifications")) throw notFound("Link");
    const action = `/notifications/unsubscribe/${path(visit)}`;
    const form = parts.form(visit.ui, { action, fields: html``, submit: t("Get no more mails") });
    const body = html`<div class="narrow"><h1>${t("Notifications by mail")}</h1>
<p>${t("This ends the mails about changes. What is new is still shown to you when you are signed in.")}</p>${form}</div>`;
    return { title: t("Notifications by mail"), body };
  });
  web.form(app.site, PATH, "public", async (visit) => {
    const { t } = visit.ui;
    const sent = await visit.send("POST", `/api/notifications/unsubscribe/${path(visit)}`);
    const said = sent.ok
      ? parts.notice(visit.ui, "good", t("You are sent no more mails about changes."))
      : parts.notice(visit.ui, "bad", t("This link is not valid any more. Sign in to choose what you are told."));
    const body = html`<div class="narrow"><h1>${t("Notifications by mail")}</h1>${said}</div>`;
    return { title: t("Notifications by mail"), body, status: sent.ok ? 200 : sent.status };
  });
}
