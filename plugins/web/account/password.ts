import { pathAfterSignIn, type Screen, type Visit } from "lectern/contracts";
import { formErrors, html } from "lectern/core";
import type { AccountContext } from "./contract.ts";

const PATH = "/my-account/auth";

/** Mounts the change of the password. It ends all sessions, so this browser is signed in again. */
export function mountPassword({ app, users, web }: AccountContext): void {
  const { parts } = web;
  const view = web.view("account/password", ({ me, formErrors: { errors, error } }, ui) => {
    const { t } = ui;
    const fields = html`<input type="text" name="username" value="${me.email}" autocomplete="username" hidden>
${parts.field(ui, { name: "current_password", label: t("Current password"), type: "password", required: true, autocomplete: "current-password", errors: errors.current_password })}
${parts.field(ui, { name: "password", label: t("New password"), type: "password", required: true, autocomplete: "new-password", errors: errors.password, help: t("At least 8 characters.") })}
${parts.field(ui, { name: "repeated", label: t("Confirm new password"), type: "password", required: true, autocomplete: "new-password", errors: errors.repeated })}`;
    return html`<h1>${t("Password")}</h1>
<p>${t("Changing your password signs you out everywhere else. API tokens stay valid.")}</p>
${parts.form(ui, { action: PATH, fields, submit: t("Change the password"), error, label: t("Password") })}`;
  });
  const shown = async (visit: Visit, wrong = formErrors(undefined)): Promise<Screen> => ({
    title: visit.ui.t("Password"),
    body: view({ me: await visit.get("/api/users/me"), formErrors: wrong }, visit.ui),
    status: wrong.status,
  });
  web.screen(app.site, PATH, "user", (visit) => shown(visit));
  web.form(app.site, PATH, "user", async (visit) => {
    const password = visit.text("password");
    if (password !== visit.text("repeated")) {
      const errors = { repeated: [visit.ui.t("The passwords do not match.")] };
      return shown(visit, { errors, error: undefined, status: 422 });
    }
    const common = await users.commonPassword(password);
    if (common !== undefined)
      return shown(visit, { errors: { password: [visit.ui.t(common)] }, error: undefined, status: 422 });
    const input = { current_password: visit.text("current_password"), password };
    const sent = await visit.send("PUT", "/api/users/me", input);
    if (!sent.ok) return shown(visit, formErrors(sent));
    const signIn = await visit.call("POST", "/api/session", {
      email: sent.body.email,
      password,
      next: PATH,
    });
    const notice = visit.ui.t("Your password is changed, and you are signed out everywhere else.");
    const response = visit.goTo(signIn.ok ? await pathAfterSignIn(signIn, PATH) : "/login", notice);
    for (const cookie of signIn.headers.getSetCookie()) response.headers.append("set-cookie", cookie);
    return response;
  });
}
