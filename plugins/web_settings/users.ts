/**
 * Users: who there is, a new one with a password or an invitation, what is given to one, and leaving with an heir. Roles are
 * offered to those who may see them all; others keep what a user has.
 */
import {
  type Html,
  html,
  type InputObject,
  refused,
  type Screen,
  type SiteApp,
  type Texts,
  type Ui,
  type Visit,
  type Web,
} from "lectern/core";
import { idOf, type Listed, listIn, MOST_CHOICES } from "./pieces.ts";
import { type RoleRef, type UserFormData, userForm } from "./user_form.ts";

/** A user as the API tells of them. */
export interface User {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly created_at: string;
  readonly last_activity_at: string | null;
  readonly external_auth_id: string;
  readonly roles: readonly RoleRef[];
}

/** What the list of users shows. */
export interface UsersData {
  readonly users: readonly User[];
  readonly total: number;
  readonly search: string;
  readonly pager: Html;
}

const PATH = "/settings/users";
const ADMITS = ["users-manage"];

/** What the forms need of the house. */
export interface UserParts {
  readonly texts: Texts;
  /** Whether this instance sends letters. */
  canInvite(): boolean;
}

/** Mounts the screens. */
export function mountUsers(site: SiteApp, web: Web, parts: UserParts): void {
  mountList(site, web);
  mountForms(site, web, parts);
  mountDelete(site, web);
}

function mountList(site: SiteApp, web: Web): void {
  const { parts } = web;
  const view = web.view<UsersData>("settings/users", ({ users, total, search, pager }, ui) => {
    const { t } = ui;
    const rows = users.map(({ id, name, email, created_at, last_activity_at }) => [
      html`<a class="any-words" href="${ui.url(`${PATH}/${id}`)}">${name}</a><br><span class="quiet any-words">${email}</span>`,
      ui.time(last_activity_at),
      ui.time(created_at),
    ]);
    return html`<div class="head-line"><h1>${t("Users")}</h1>
<a role="button" class="small" href="${ui.url(`${PATH}/create`)}">${ui.icon("plus")} ${t("New user")}</a></div>
<form class="filters" method="get" action="${ui.url(PATH)}" aria-label="${t("Find users")}">
${parts.field(ui, { name: "search", label: t("Name or e-mail address"), type: "search", value: search })}
<button class="secondary">${t("Find")}</button></form>
<p class="quiet">${t(":total users", { total })}</p>
${parts.table(ui, { caption: t("Users"), head: [t("Name"), t("Last active"), t("Since")], rows, empty: t("No user is called that.") })}
${pager}`;
  });
  web.screen(site, PATH, ADMITS, async (visit) => {
    const { page, size, query } = web.paged(visit.query);
    const search = typeof visit.query.search === "string" ? visit.query.search.trim() : "";
    const field = search.includes("@") ? "email" : "name";
    const pattern = `%${search.replace(/[\\%_]/g, "\\$&")}%`;
    const filter = search === "" ? "" : `&filter[${field}:like]=${encodeURIComponent(pattern)}`;
    const { data, total } = await visit.get<Listed<User>>(`/api/users?${query}&sort=name${filter}`);
    const pager = web.parts.pager(visit.ui, { path: PATH, query: search === "" ? {} : { search }, total, page, size });
    return { title: visit.ui.t("Users"), body: view({ users: data, total, search, pager }, visit.ui) };
  });
}

function mountForms(site: SiteApp, web: Web, { texts, canInvite }: UserParts): void {
  const view = web.view<UserFormData>("settings/user", (data, ui) => userForm(web, data, ui));
  const shown = async (visit: Visit, data: Partial<UserFormData>): Promise<Screen> => {
    const roles = await visit.find<Listed<RoleRef>>(`/api/roles?count=${MOST_CHOICES}&sort=display_name`);
    const title = data.user ? visit.ui.t("User “:name”", { name: data.user.name }) : visit.ui.t("New user");
    const whole = {
      title,
      user: undefined,
      typed: { name: "", email: "", roles: [], language: "", external_auth_id: "", invite: true },
      roles: roles?.data,
      languages: texts.languages(),
      canInvite: canInvite(),
      refused: refused(undefined),
      ...data,
    };
    return { title, body: view(whole, visit.ui), status: whole.refused.status };
  };
  web.screen(site, `${PATH}/create`, ADMITS, (visit) => shown(visit, {}));
  web.form(site, `${PATH}/create`, ADMITS, async (visit) => {
    const invite = visit.text("send_invite") === "true";
    const input = { ...inputOf(visit), ...(invite ? { send_invite: true } : {}) };
    const sent = await visit.send<User>("POST", "/api/users", input);
    if (!sent.ok) return shown(visit, { typed: { ...typedIn(visit), invite }, refused: refused(sent) });
    return visit.goTo(`${PATH}/${sent.body.id}`, visit.ui.t("“:name” is made.", { name: sent.body.name }));
  });
  web.screen(site, `${PATH}/:id`, ADMITS, async (visit) => {
    const user = await visit.get<User>(`/api/users/${idOf(visit)}`);
    const { name, email, external_auth_id } = user;
    const roles = user.roles.map(({ id }) => String(id));
    return shown(visit, { user, typed: { name, email, external_auth_id, roles, language: "", invite: false } });
  });
  web.form(site, `${PATH}/:id`, ADMITS, async (visit) => {
    const user = await visit.get<User>(`/api/users/${idOf(visit)}`);
    const sent = await visit.send<User>("PUT", `/api/users/${user.id}`, inputOf(visit));
    if (!sent.ok) return shown(visit, { user, typed: { ...typedIn(visit), invite: false }, refused: refused(sent) });
    return visit.goTo(`${PATH}/${user.id}`, visit.ui.t("“:name” is saved.", { name: sent.body.name }));
  });
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

function mountDelete(site: SiteApp, web: Web): void {
  const { parts } = web;
  const screen = async (visit: Visit, fault = "", status = 200): Promise<Screen> => {
    const { ui } = visit;
    const user = await visit.get<User>(`/api/users/${idOf(visit)}`);
    const { data } = await visit.get<Listed<User>>(`/api/users?count=${MOST_CHOICES}&sort=name`);
    const question = ui.t("Delete the user “:name”?", { name: user.name });
    const fields = html`${fault !== "" && parts.notice(ui, "bad", fault)}${heirField(web, user, data, ui)}`;
    const body = parts.confirm(ui, {
      question,
      detail: ui.t("Their sessions and API tokens end. What they wrote stays. This cannot be undone."),
      action: `${PATH}/${user.id}/delete`,
      submit: ui.t("Delete"),
      back: `${PATH}/${user.id}`,
      fields,
    });
    return { title: question, body, status };
  };
  web.screen(site, `${PATH}/:id/delete`, ADMITS, (visit) => screen(visit));
  web.form(site, `${PATH}/:id/delete`, ADMITS, async (visit) => {
    const heir = visit.text("migrate_ownership_id");
    const sent = await visit.send(
      "DELETE",
      `/api/users/${idOf(visit)}`,
      heir === "" ? {} : { migrate_ownership_id: heir },
    );
    if (sent.ok) return visit.goTo(PATH, visit.ui.t("The user is deleted."));
    const wrong = refused(sent);
    return screen(visit, wrong.fault ?? Object.values(wrong.faults).flat().join(" "), wrong.status);
  });
}

function heirField({ parts }: Web, user: User, users: readonly User[], ui: Ui): Html {
  const others = users.filter(({ id }) => id !== user.id);
  return parts.field(ui, {
    name: "migrate_ownership_id",
    label: ui.t("What they own goes to"),
    type: "select",
    options: [["", ui.t("Nobody")], ...others.map(({ id, name, email }) => [id, `${name} (${email})`] as const)],
  });
}
