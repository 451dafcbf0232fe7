import type { Visit } from "lectern/contracts";
import type { PluginContext } from "lectern/core";
import { type FormErrors, formErrors, html } from "lectern/core";
import type { InstanceScreensContext } from "./contract.ts";

const PATH = "/settings/mail/test";
const MAIL = "/settings/mail";
const PERMIT = "settings-manage";

/** Adds the form of a test message to the screen of mail, and mounts what it is sent to. */
export function mountTryMail(
  { app, web }: InstanceScreensContext,
  { contribute }: Pick<PluginContext, "contribute">,
): void {
  const { parts } = web;
  const view = web.view("instance/try_mail", ({ to, formErrors: wrong }, ui) => {
    const { t } = ui;
    const field = parts.field(ui, {
      ...{ name: "to", label: t("Send to"), type: "email", value: to, required: true, errors: wrong.errors.to },
    });
    return html`<section><h2>${t("Test message")}</h2><p>${t("Sends a message with the settings that are saved.")}</p>
${parts.form(ui, { action: PATH, fields: field, submit: t("Send a test message"), error: wrong.error, label: t("Test message") })}</section>`;
  });
  const ownAddress = async (visit: Visit) => (await visit.get("/api/users/me")).email;
  contribute("screen_part", {
    at: "settings/mail/below",
    draw: async (_, visit) => view({ to: await ownAddress(visit), formErrors: formErrors(undefined) }, visit.ui),
  });
  web.form(app.site, PATH, PERMIT, async (visit) => {
    const to = visit.text("to");
    const sent = await visit.send("POST", "/api/mail/test", { to });
    if (sent.ok) return visit.goTo(MAIL, visit.ui.t("The mail server has accepted the message."));
    const wrong: FormErrors = formErrors(sent);
    return {
      ...{ title: visit.ui.t("Test message"), menu: MAIL, status: wrong.status },
      body: view({ to, formErrors: wrong }, visit.ui),
    };
  });
}
