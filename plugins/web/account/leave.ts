/**
 * The deletion of one's own account. Whoever takes over the content is looked for by name in a form of its own, which works without
 * scripts, and chosen in the form that deletes.
 */
import type { Answers, Screen, Visit } from "lectern/contracts";
import { type FormErrors, formErrors, html } from "lectern/core";
import type { AccountContext } from "./contract.ts";
import type { Me } from "./profile.ts";

/** Data of the screen. */
export interface LeaveData {
  readonly me: Me;
  /** The part of a name that was looked for, and who was found. */
  readonly sought: string;
  readonly found: Answers["/api/people"]["data"];
  readonly heir: string;
  readonly formErrors: FormErrors;
}

const PROFILE = "/my-account/profile";
const PATH = "/my-account/delete";
/** Letters of a name that are looked for at least. */
const SHORTEST = 2;

/** Mounts the screen. */
export function mountLeave({ app, web }: AccountContext): void {
  const { parts } = web;
  const view = web.view("account/leave", ({ me, sought, found, heir, formErrors: { errors, error } }, ui) => {
    const { t } = ui;
    const others = found.filter(({ id }) => id !== me.id);
    const choice = (value: string, text: string) =>
      html`<label class="any-words"><input type="radio" name="migrate_ownership_id" value="${value}"${heir === value && html` checked`}> ${text}</label>`;
    const fields = html`<input type="hidden" name="heir" value="${sought}">
<input type="text" name="username" value="${me.email}" autocomplete="username" hidden>
<fieldset class="choices"><legend>${t("New owner of your content")}</legend>
${choice("", t("Nobody"))}${others.map(({ id, name, slug }) => choice(String(id), `${name} (${slug})`))}
${errors.migrate_ownership_id && parts.notice(ui, "bad", errors.migrate_ownership_id.join(" "))}</fieldset>
${parts.field(ui, { name: "current_password", label: t("Current password"), type: "password", required: true, autocomplete: "current-password", errors: errors.current_password })}`;
    return html`<h1>${t("Delete your account")}</h1>
<p>${t("Your sessions and API tokens end, and your name is removed from what you wrote. The content is kept. This cannot be undone.")}</p>
<form class="filters" method="get" action="${ui.url(PATH)}" aria-label="${t("Find a new owner")}">
${parts.field(ui, { name: "heir", label: t("Find a new owner by name"), type: "search", value: sought })}
<button class="secondary">${t("Find")}</button></form>
${sought !== "" && others.length === 0 && html`<p class="quiet">${t("No matching users.")}</p>`}
${parts.form(ui, { action: PATH, fields, submit: t("Delete your account"), cancel: PROFILE, error, danger: true, label: t("Delete your account") })}`;
  });
  const shown = async (visit: Visit, wrong = formErrors(undefined)): Promise<Screen> => {
    const sought = visit.text("heir").trim();
    const isLong = sought.length >= SHORTEST;
    const people = isLong ? await visit.get(`/api/people?query=${encodeURIComponent(sought)}`) : { data: [] };
    const me = await visit.get("/api/users/me");
    const heir = visit.text("migrate_ownership_id");
    const data = { me, sought, found: people.data, heir, formErrors: wrong };
    return {
      title: visit.ui.t("Delete your account"),
      body: view(data, visit.ui),
      status: wrong.status,
      menu: PROFILE,
    };
  };
  web.screen(app.site, PATH, "user", (visit) => shown(visit));
  web.form(app.site, PATH, "user", async (visit) => {
    const heir = visit.text("migrate_ownership_id");
    const sent = await visit.send("DELETE", "/api/users/me", {
      current_password: visit.text("current_password"),
      ...(heir === "" ? {} : { migrate_ownership_id: heir }),
    });
    if (!sent.ok) return shown(visit, formErrors(sent));
    // The cookie of the session, which has ended with the account.
    const ended = await visit.call("DELETE", "/api/session");
    const answer = visit.goTo("/login", visit.ui.t("Your account is deleted."));
    for (const cookie of ended.headers.getSetCookie()) answer.headers.append("set-cookie", cookie);
    return answer;
  });
}
