/**
 * Users: list, form with password or invitation, delete with a new owner of their content. The form offers roles only to viewers who may
 * list them; without that, the roles of a user stay unchanged.
 */
import type { Answers, Screen, Ui, Visit, Web } from "lectern/contracts";
import { type FormErrors, formErrors, type Html, html, type InputObject } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";
import { languageNames } from "../_paths/language_names.ts";
import type { SettingsContext } from "./contract.ts";
import { listIn } from "./form_values.ts";
import { openInvites } from "./invites.ts";
import { MAX_OPTIONS } from "./listings.ts";
import { type UserFormData, userForm } from "./user_form.ts";

/** A user in listings. */
export type ListedUser = Answers["/api/users"]["data"][number];

/** A user in the API. */
export type User = Answers[`/api/users/${number}`];

/** Data of the list. */
export interface UsersData {
  readonly users: readonly ListedUser[];
  readonly total: number;
  readonly search: string;
  readonly pager: Html;
  readonly transfers: readonly Transfer[];
  /** Invitations that were not accepted, the newest, and how many there are. */
  readonly invites: readonly Invite[];
  readonly invited: number;
}

/** An invitation that was not accepted. */
export type Invite = Answers["/api/user-invites"]["data"][number];

/** The content of a deleted user that a job is giving to the new owner. */
export type Transfer = Answers["/api/user-transfers"]["data"][number];

const PATH = "/settings/users";
const PERMIT = ["users-manage"];
/** Invitations that the list of users shows. */
const INVITES = 50;

/** Mounts the screens. */
export function mountUsers(context: SettingsContext): void {
  mountList(context);
  mountForms(context);
  mountActions(context);
  mountDelete(context);
}

function mountList({ app, web }: SettingsContext): void {
  const { parts } = web;
  const view = web.view("settings/users", ({ users, total, search, pager, transfers, invites, invited }, ui) => {
    const { t } = ui;
    const rows = users.map(({ id, name, email, avatar_url, created_at, last_activity_at }) => [
      html`${parts.avatar(ui, { name, url: avatar_url })} <a class="any-words" href="${ui.url(`${PATH}/${id}`)}">${name}</a><br><span class="quiet any-words">${email}</span>`,
      ui.time(last_activity_at),
      ui.time(created_at),
    ]);
    return html`<div class="head-line"><h1>${t("Users")}</h1>
<a role="button" class="small" href="${ui.url(`${PATH}/create`)}">${ui.icon("plus")} ${t("New user")}</a></div>
${transfers.map((transfer) => parts.notice(ui, "note", transferText(transfer, ui)))}
${invited > 0 && openInvites(web, invites, invited, ui)}
<form class="filters" method="get" action="${ui.url(PATH)}" aria-label="${t("Find users")}">
${parts.field(ui, { name: "search", label: t("Name or e-mail address"), type: "search", value: search })}
<button class="secondary">${t("Find")}</button></form>
<p class="quiet">${t(":total users", { total })}</p>
${parts.table(ui, { caption: t("Users"), head: [t("Name"), t("Last active"), t("Since")], rows, empty: t("No matching users.") })}
${pager}`;
  });
  web.screen(app.site, PATH, PERMIT, async (visit) => {
    const { page, size, query } = web.paged(visit.query);
    const search = typeof visit.query.search === "string" ? visit.query.search.trim() : "";
    const field = search.includes("@") ? "email" : "name";
    const pattern = `%${search.replace(/[\\%_]/g, "\\$&")}%`;
    const filter = search === "" ? "" : `&filter[${field}:like]=${encodeURIComponent(pattern)}`;
    const { data, total } = await visit.get(`/api/users?${query}&sort=name${filter}`);
    const pager = web.parts.pager(visit.ui, { path: PATH, query: search === "" ? {} : { search }, total, page, size });
    const { data: transfers } = await visit.get("/api/user-transfers?count=10");
    const { data: invites, total: invited } = await visit.get(`/api/user-invites?count=${INVITES}&sort=-expires_at`);
    const shown = { users: data, total, search, pager, transfers, invites, invited };
    return { title: visit.ui.t("Users"), body: view(shown, visit.ui) };
  });
}

function transferText({ name, heir, items, moved }: Transfer, { t }: Ui): string {
  const counts = { name, moved, items: items ?? "…" };
  return heir
    ? t("The content of “:name” is going to “:heir”: :moved of :items items.", { ...counts, heir: heir.name })
    : t("The content of “:name” is left without an owner: :moved of :items items.", counts);
}

function mountForms({ app, web, texts, canInvite, commonPassword }: SettingsContext): void {
  const view = web.view("settings/user", (data, ui) => userForm(web, data, ui));
  const shown = async (visit: Visit, data: Partial<UserFormData>): Promise<Screen> => {
    const roles = await visit.find(`/api/roles?count=${MAX_OPTIONS}&sort=display_name`);
    const title = data.user ? visit.ui.t("User “:name”", { name: data.user.name }) : visit.ui.t("New user");
    const whole = {
      title,
      user: undefined,
      typed: { name: "", email: "", roles: [], language: "", external_auth_id: "", invite: true },
      roles: roles?.data,
      languages: languageNames(texts.languages(), visit.ui.language),
      invite: undefined,
      canInvite: canInvite(),
      formErrors: formErrors(undefined),
      ...data,
    };
    return { title, body: view(whole, visit.ui), status: whole.formErrors.status };
  };
  const common = async (visit: Visit): Promise<FormErrors | undefined> => {
    const error = await commonPassword(visit.text("password"));
    return error === undefined
      ? undefined
      : { errors: { password: [visit.ui.t(error)] }, error: undefined, status: 422 };
  };
  web.screen(app.site, `${PATH}/create`, PERMIT, (visit) => shown(visit, {}));
  web.form(app.site, `${PATH}/create`, PERMIT, async (visit) => {
    const invite = visit.text("send_invite") === "true";
    const wrong = await common(visit);
    if (wrong) return shown(visit, { typed: { ...typedIn(visit), invite }, formErrors: wrong });
    const input = { ...inputOf(visit), ...(invite ? { send_invite: true } : {}) };
    const sent = await visit.send("POST", "/api/users", input);
    if (!sent.ok) return shown(visit, { typed: { ...typedIn(visit), invite }, formErrors: formErrors(sent) });
    return visit.goTo(`${PATH}/${sent.body.id}`, visit.ui.t("“:name” is created.", { name: sent.body.name }));
  });
  web.screen(app.site, `${PATH}/:id`, PERMIT, async (visit) => {
    const user = await visit.get(`/api/users/${idOf(visit)}`);
    const { name, email, external_auth_id } = user;
    const roles = user.roles.map(({ id }) => String(id));
    const { data } = await visit.get(`/api/user-invites?count=1&filter[id]=${user.id}`);
    return shown(visit, {
      user,
      invite: data[0],
      typed: { name, email, external_auth_id, roles, language: "", invite: false },
    });
  });
  web.form(app.site, `${PATH}/:id`, PERMIT, async (visit) => {
    const user = await visit.get(`/api/users/${idOf(visit)}`);
    const wrong = await common(visit);
    if (wrong) return shown(visit, { user, typed: { ...typedIn(visit), invite: false }, formErrors: wrong });
    const sent = await visit.send("PUT", `/api/users/${user.id}`, inputOf(visit));
    if (!sent.ok)
      return shown(visit, { user, typed: { ...typedIn(visit), invite: false }, formErrors: formErrors(sent) });
    return visit.goTo(`${PATH}/${user.id}`, visit.ui.t("“:name” is saved.", { name: sent.body.name }));
  });
}

/** Mounts what the buttons beside an invitation, and beside the picture of a user, do. */
function mountActions({ app, web }: SettingsContext): void {
  const act = async (visit: Visit, method: string, path: "invite" | "picture", done: string) => {
    const sent = await visit.send(method, `/api/users/${idOf(visit)}/${path}`);
    return visit.goTo(`${PATH}/${idOf(visit)}`, sent.ok ? visit.ui.t(done) : sent.message);
  };
  web.form(app.site, `${PATH}/:id/invite`, PERMIT, (visit) =>
    act(visit, "POST", "invite", "The invitation is sent again. Earlier links are no longer valid."),
  );
  web.form(app.site, `${PATH}/:id/invite/withdraw`, PERMIT, (visit) =>
    act(visit, "DELETE", "invite", "The invitation is withdrawn. The account stays, without a password."),
  );
  web.form(app.site, `${PATH}/:id/picture/delete`, PERMIT, (visit) =>
    act(visit, "DELETE", "picture", "The picture is removed."),
  );
}

function typedIn(visit: Visit) {
  return {
    name: visit.text("name"),
    email: visit.text("email"),
    external_auth_id: visit.text("external_auth_id"),
    language: visit.text("language"),
    roles: listIn(visit.input.roles),
  };
}

/** The body for the API; a password or language left empty stays, and so do roles that were not offered. */
function inputOf(visit: Visit): InputObject {
  const { roles, language, ...rest } = typedIn(visit);
  const password = visit.text("password");
  return {
    ...rest,
    ...(language === "" ? {} : { language }),
    ...(password === "" ? {} : { password }),
    ...(visit.text("offered") === "roles" ? { roles } : {}),
  };
}

function mountDelete({ app, web }: SettingsContext): void {
  const { parts } = web;
  const screen = async (visit: Visit, error = "", status = 200): Promise<Screen> => {
    const { ui } = visit;
    const user = await visit.get(`/api/users/${idOf(visit)}`);
    const { data } = await visit.get(`/api/users?count=${MAX_OPTIONS}&sort=name`);
    const question = ui.t("Delete the user “:name”?", { name: user.name });
    const fields = html`${error !== "" && parts.notice(ui, "bad", error)}${newOwnerField(web, user, data, ui)}`;
    const body = parts.confirm(ui, {
      question,
      detail: ui.t("Their sessions and API tokens end. Their content is kept. This cannot be undone."),
      action: `${PATH}/${user.id}/delete`,
      submit: ui.t("Delete"),
      back: `${PATH}/${user.id}`,
      fields,
    });
    return { title: question, body, status };
  };
  web.screen(app.site, `${PATH}/:id/delete`, PERMIT, (visit) => screen(visit));
  web.form(app.site, `${PATH}/:id/delete`, PERMIT, async (visit) => {
    const newOwner = visit.text("migrate_ownership_id");
    const sent = await visit.send(
      "DELETE",
      `/api/users/${idOf(visit)}`,
      newOwner === "" ? {} : { migrate_ownership_id: newOwner },
    );
    if (sent.ok) return visit.goTo(PATH, visit.ui.t("The user is deleted."));
    const wrong = formErrors(sent);
    return screen(visit, wrong.error ?? Object.values(wrong.errors).flat().join(" "), wrong.status);
  });
}

function newOwnerField({ parts }: Web, user: User, users: readonly ListedUser[], ui: Ui): Html {
  const others = users.filter(({ id }) => id !== user.id);
  return parts.field(ui, {
    name: "migrate_ownership_id",
    label: ui.t("New owner of their content"),
    type: "select",
    options: [["", ui.t("Nobody")], ...others.map(({ id, name, email }) => [id, `${name} (${email})`] as const)],
  });
}
