/**
 * Sign-in, sign-out, password reset, and the links of emails. The screens submit to the API and pass its cookies on. The API throttles,
 * gives messages that reveal nothing about accounts, and ends the previous session.
 */
import { pathAfterSignIn, type Screen, type SubmitResult, type Ui, type Visit, type Web } from "lectern/contracts";
import { type Html, html, ownPath } from "lectern/core";
import type { ShellContext } from "./contract.ts";
import { FORGET } from "./revalidation.ts";

/** Data of the sign-in screen. */
export interface SignInData {
  readonly next: string;
  readonly email: string;
  readonly error: string | undefined;
  readonly errors: Readonly<Record<string, readonly string[]>>;
  readonly canReset: boolean;
}

/** Mounts the screens. */
export function mountSignIn(context: ShellContext, web: Web): void {
  const { contracts, app } = context;
  const { parts } = web;
  const view = web.view("web/sign_in", ({ next, email, error, errors, canReset: resets }, ui) => {
    const { t } = ui;
    const fields = html`<input type="hidden" name="next" value="${next}">
${parts.field(ui, { name: "email", label: t("E-mail address"), type: "email", value: email, required: true, autocomplete: "username", errors: errors.email, autofocus: email === "" })}
${parts.field(ui, { name: "password", label: t("Password"), type: "password", required: true, autocomplete: "current-password", errors: errors.password, autofocus: email !== "" })}`;
    return html`<div class="narrow"><h1>${t("Sign in")}</h1>
${parts.form(ui, { action: "/login", fields, submit: t("Sign in"), error })}
${resets && html`<p><a href="${ui.url("/password/email")}">${t("Forgot your password?")}</a></p>`}</div>`;
  });
  const shown = (visit: Visit, data: Partial<SignInData>, status = 200): Screen => ({
    title: visit.ui.t("Sign in"),
    body: view(
      { next: "/", email: "", error: undefined, errors: {}, canReset: contracts.mail.isConfigured, ...data },
      visit.ui,
    ),
    status,
  });

  web.screen(app.site, "/login", "public", (visit) => {
    const next = ownPath(visit.query.next);
    return visit.ui.isSignedIn ? visit.goTo(next) : shown(visit, { next });
  });
  web.form(app.site, "/login", "public", async (visit) => {
    const next = ownPath(visit.input.next);
    const email = visit.text("email");
    const response = await visit.call("POST", "/api/session", { email, password: visit.text("password"), next });
    if (response.ok) return withCookiesOf(response, visit.goTo(await pathAfterSignIn(response, next)));
    const { error } = (await response.json()) as { error: { message: string; validation?: SignInData["errors"] } };
    const errors = error.validation ?? {};
    const errorText = Object.keys(errors).length > 0 ? undefined : error.message;
    return shown(visit, { next, email, error: errorText, errors }, response.status);
  });
  web.form(app.site, "/logout", "public", async (visit) => {
    const ended = await visit.call("DELETE", "/api/session");
    const answer = withCookiesOf(ended, visit.goTo("/login", visit.ui.t("You are signed out.")));
    // Also where nobody was signed in any more, as the session may have ended elsewhere.
    answer.headers.set("clear-site-data", FORGET);
    return answer;
  });
  mountPasswordReset(context, web);
  mountPasswordChoice(context, web);
}

/** Adds the cookies of one response to another. */
function withCookiesOf(from: Response, to: Response): Response {
  for (const cookie of from.headers.getSetCookie()) to.headers.append("set-cookie", cookie);
  return to;
}

/** Data of the form that requests a reset message. */
export interface ForgottenPasswordData {
  readonly sent: SubmitResult<unknown> | undefined;
  readonly email: string;
}

function mountPasswordReset({ app }: ShellContext, web: Web): void {
  const { parts } = web;
  const view = web.view("web/forgotten", ({ sent, email }, ui) => {
    const { t } = ui;
    const errors = sent && !sent.ok ? sent.errors : {};
    const fields = parts.field(ui, {
      name: "email",
      label: t("E-mail address"),
      type: "email",
      value: email,
      required: true,
      autocomplete: "username",
      errors: errors.email,
    });
    const error = sent && !sent.ok && Object.keys(errors).length === 0 ? sent.message : undefined;
    return html`<div class="narrow"><h1>${t("Reset your password")}</h1>
<p>${t("Enter the email address of your account. You will receive an email with a link to choose a new password.")}</p>
${parts.form(ui, { action: "/password/email", fields, submit: t("Send the email"), cancel: "/login", error })}</div>`;
  });
  const title = (ui: Ui) => ui.t("Reset your password");
  web.screen(app.site, "/password/email", "public", ({ ui }) => ({
    title: title(ui),
    body: view({ sent: undefined, email: "" }, ui),
  }));
  web.form(app.site, "/password/email", "public", async (visit) => {
    const email = visit.text("email");
    const sent = await visit.send("POST", "/api/password/email", { email });
    if (sent.ok) return visit.goTo("/login", visit.ui.t(sent.body.message));
    return { title: title(visit.ui), body: view({ sent, email }, visit.ui), status: sent.status };
  });
}

/** Data of the form of a new password. */
export interface ChosenPasswordData {
  readonly title: string;
  readonly action: string;
  readonly sent: SubmitResult<unknown> | undefined;
}

/** The two kinds of links by which a user chooses a password. */
const PASSWORD_LINKS = [
  { path: "/register/invite/:token", api: "/api/register/invite/", title: "Welcome: choose a password" },
  { path: "/password/reset/:token", api: "/api/password/reset/", title: "Choose a new password" },
] as const;

function mountPasswordChoice({ app }: ShellContext, web: Web): void {
  const { parts } = web;
  const view = web.view("web/choose_password", ({ title, action, sent }, ui): Html => {
    const errors = sent && !sent.ok ? sent.errors : {};
    const error = sent && !sent.ok && Object.keys(errors).length === 0 ? sent.message : undefined;
    const fields = parts.field(ui, {
      name: "password",
      label: ui.t("Password"),
      type: "password",
      required: true,
      autocomplete: "new-password",
      errors: errors.password,
      help: ui.t("At least 8 characters."),
    });
    return html`<div class="narrow"><h1>${title}</h1>${parts.form(ui, { action, fields, submit: ui.t("Save the password"), error })}</div>`;
  });
  for (const { path, api, title } of PASSWORD_LINKS) {
    const shown = (visit: Visit, sent?: SubmitResult<unknown>): Screen => {
      const data = {
        title: visit.ui.t(title),
        action: path.replace(":token", encodeURIComponent(visit.params.token ?? "")),
        sent,
      };
      return { title: data.title, body: view(data, visit.ui), status: sent && !sent.ok ? sent.status : 200 };
    };
    web.screen(app.site, path, "public", (visit) => shown(visit));
    web.form(app.site, path, "public", async (visit) => {
      const password = visit.text("password");
      const sent = await visit.send("POST", `${api}${encodeURIComponent(visit.params.token ?? "")}`, { password });
      if (!sent.ok) return shown(visit, sent);
      const { email } = sent.body;
      const signIn = await visit.call("POST", "/api/session", { email, password });
      // Where that is refused, such as after too many attempts from the address, it is tried again by hand.
      if (!signIn.ok) return visit.goTo("/login", visit.ui.t("Your password is saved. Sign in with it."));
      const next = await pathAfterSignIn(signIn, "/");
      return withCookiesOf(
        signIn,
        visit.goTo(next, next === "/" ? visit.ui.t("Welcome! Your password is saved.") : undefined),
      );
    });
  }
}
