/**
 * Another e-mail address: the form, and the screen of the link in the mail to that address. The link is a screen with a button, as
 * programs that look at mail open links, and asks its reader to sign in.
 */
import type { Screen, Visit } from "lectern/contracts";
import { type FormErrors, formErrors, html } from "lectern/core";
import type { AccountContext } from "./contract.ts";
import type { Me } from "./profile.ts";

/** Data of the form. */
export interface NewAddressData {
  readonly me: Me;
  readonly typed: string;
  readonly formErrors: FormErrors;
}

const PROFILE = "/my-account/profile";
const PATH = "/my-account/email";

/** Mounts the screens. */
export function mountAddress({ app, web }: AccountContext): void {
  const { parts } = web;
  const view = web.view("account/address", ({ me, typed, formErrors: { errors, error } }, ui) => {
    const { t } = ui;
    const fields = html`<input type="text" name="username" value="${me.email}" autocomplete="username" hidden>
${parts.field(ui, { name: "email", label: t("New e-mail address"), type: "email", value: typed, required: true, autocomplete: "email", errors: errors.email })}
${parts.field(ui, { name: "current_password", label: t("Current password"), type: "password", required: true, autocomplete: "current-password", errors: errors.current_password })}`;
    return html`<h1>${t("Change the e-mail address")}</h1>
<p>${t("Your address is :email. You will receive an email with a link at the new one, which counts once you have opened the link.", { email: me.email })}</p>
${parts.form(ui, { action: PATH, fields, submit: t("Send the email"), cancel: PROFILE, error, label: t("E-mail address") })}`;
  });
  const shown = async (visit: Visit, typed = "", wrong = formErrors(undefined)): Promise<Screen> => ({
    title: visit.ui.t("Change the e-mail address"),
    body: view({ me: await visit.get("/api/users/me"), typed, formErrors: wrong }, visit.ui),
    status: wrong.status,
    menu: PROFILE,
  });
  web.screen(app.site, PATH, "user", (visit) => shown(visit));
  web.form(app.site, PATH, "user", async (visit) => {
    const email = visit.text("email");
    const sent = await visit.send("POST", "/api/users/me/email", {
      email,
      current_password: visit.text("current_password"),
    });
    return sent.ok ? visit.goTo(PROFILE, visit.ui.t(sent.body.message)) : shown(visit, email, formErrors(sent));
  });
  web.form(app.site, `${PATH}/withdraw`, "user", async (visit) => {
    const sent = await visit.send("DELETE", "/api/users/me/email");
    return visit.goTo(PROFILE, sent.ok ? visit.ui.t("Your address stays as it is.") : sent.message);
  });
  web.screen(app.site, `${PATH}/:token`, "user", async (visit) => {
    const { ui } = visit;
    const { email, new_email } = await visit.get("/api/users/me");
    const question = ui.t("Confirm the new e-mail address?");
    const detail =
      new_email === null
        ? ui.t("No new address awaits a confirmation. The link has expired, was used, or belongs to another account.")
        : ui.t(":email will take the place of :before.", { email: new_email, before: email });
    const action = `${PATH}/${encodeURIComponent(visit.params.token ?? "")}`;
    const body = html`<div class="narrow"><h1>${question}</h1><p>${detail}</p>
${
  new_email === null
    ? html`<p><a role="button" class="secondary" href="${ui.url(PROFILE)}">${ui.t("Profile")}</a></p>`
    : parts.form(ui, { action, fields: "", submit: ui.t("Confirm"), cancel: PROFILE, label: question })
}</div>`;
    return { title: question, body, menu: PROFILE };
  });
  web.form(app.site, `${PATH}/:token`, "user", async (visit) => {
    const path = `/api/users/me/email/${encodeURIComponent(visit.params.token ?? "")}` as const;
    const sent = await visit.send("POST", path);
    if (sent.ok)
      return visit.goTo(PROFILE, visit.ui.t("Your e-mail address is now :email.", { email: sent.body.email }));
    const { error, errors } = formErrors(sent);
    return visit.goTo(PROFILE, error ?? Object.values(errors).flat().join(" "));
  });
}
