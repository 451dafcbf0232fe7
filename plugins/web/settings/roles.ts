/**
 * Roles: list, form, copy of another role, delete. The form changes only the fields that it shows, so other fields that clients have
 * set are kept.
 */
import type { Answers, Screen, Visit } from "lectern/contracts";
import { formErrors, html, type InputObject } from "lectern/core";
import { idIn, idOf } from "../_paths/id_of.ts";
import type { SettingsContext } from "./contract.ts";
import { listIn } from "./form_values.ts";
import { MAX_OPTIONS } from "./listings.ts";
import { gridRows } from "./permission_names.ts";
import { type RoleFormData, roleForm } from "./role_form.ts";

/** A role in listings. */
export type ListedRole = Answers["/api/roles"]["data"][number];

/** A single role. */
export type Role = Answers[`/api/roles/${number}`];

const PATH = "/settings/roles";
const PERMIT = ["user-roles-manage"];

/** Mounts the screens. */
export function mountRoles(context: SettingsContext): void {
  mountList(context);
  mountForms(context);
  mountDelete(context);
}

function mountList({ app, web }: SettingsContext): void {
  const { parts } = web;
  const view = web.view("settings/roles", ({ roles }, ui) => {
    const { t } = ui;
    const rows = roles.map(({ id, display_name, description, users_count, permissions_count }) => [
      html`<a class="any-words" href="${ui.url(`${PATH}/${id}`)}">${display_name}</a>${description && html`<br><span class="quiet any-words">${description}</span>`}`,
      users_count,
      permissions_count,
      html`<a role="button" class="small secondary outline" href="${ui.url(`${PATH}/create`)}?copy_from=${id}">${ui.icon("copy")} ${t("Copy")}<span class="unseen"> ${display_name}</span></a>`,
    ]);
    const head = [t("Role"), t("Users"), t("Permissions"), html`<span class="unseen">${t("Actions")}</span>`];
    return html`<div class="head-line"><h1>${t("Roles")}</h1>
<a role="button" class="small" href="${ui.url(`${PATH}/create`)}">${ui.icon("plus")} ${t("New role")}</a></div>
<p>${t("A user has the permissions of all their roles.")}</p>
${parts.table(ui, { caption: t("Roles"), head, rows, empty: t("There are no roles.") })}`;
  });
  web.screen(app.site, PATH, PERMIT, async (visit) => {
    const { data } = await visit.get(`/api/roles?count=${MAX_OPTIONS}&sort=display_name`);
    return { title: visit.ui.t("Roles"), body: view({ roles: data }, visit.ui) };
  });
}

function mountForms({ app, slot, web }: SettingsContext): void {
  const view = web.view("settings/role", (data, ui) => roleForm(web, data, ui));
  const shown = (visit: Visit, data: Partial<RoleFormData>): Screen => {
    const { role } = data;
    const title = role ? visit.ui.t("Role “:name”", { name: role.display_name }) : visit.ui.t("New role");
    const typed = { display_name: "", description: "", permissions: [] };
    const added = slot("permission");
    const known = { added, labels: slot("permission_label"), rows: gridRows(slot("content"), added) };
    const whole = { title, role, typed, ...known, formErrors: formErrors(undefined), ...data };
    return { title, body: view(whole, visit.ui), status: whole.formErrors.status };
  };
  web.screen(app.site, `${PATH}/create`, PERMIT, async (visit) => {
    const from = typeof visit.query.copy_from === "string" ? visit.query.copy_from : "";
    const copied = from === "" ? undefined : await visit.find(`/api/roles/${idIn(from)}`);
    if (!copied) return shown(visit, {});
    const { display_name, description, permissions } = copied;
    // What a text isolates a name with is no part of a name.
    const name = visit.ui.t("Copy of :name", { name: display_name }).replace(/[\u2066-\u2069]/g, "");
    return shown(visit, { typed: { display_name: name, description: description ?? "", permissions } });
  });
  web.form(app.site, `${PATH}/create`, PERMIT, async (visit) => {
    const sent = await visit.send("POST", "/api/roles", inputOf(visit));
    if (!sent.ok) return shown(visit, { typed: typedIn(visit), formErrors: formErrors(sent) });
    return visit.goTo(`${PATH}/${sent.body.id}`, visit.ui.t("“:name” is created.", { name: sent.body.display_name }));
  });
  web.screen(app.site, `${PATH}/:id`, PERMIT, async (visit) => {
    const role = await visit.get(`/api/roles/${idOf(visit)}`);
    const { display_name, description, permissions } = role;
    return shown(visit, { role, typed: { display_name, description: description ?? "", permissions } });
  });
  web.form(app.site, `${PATH}/:id`, PERMIT, async (visit) => {
    const role = await visit.get(`/api/roles/${idOf(visit)}`);
    const sent = await visit.send("PUT", `/api/roles/${role.id}`, inputOf(visit));
    if (!sent.ok) return shown(visit, { role, typed: typedIn(visit), formErrors: formErrors(sent) });
    return visit.goTo(`${PATH}/${role.id}`, visit.ui.t("“:name” is saved.", { name: sent.body.display_name }));
  });
}

function typedIn(visit: Visit) {
  return {
    display_name: visit.text("display_name"),
    description: visit.text("description"),
    permissions: listIn(visit.input.permissions),
  };
}

function inputOf(visit: Visit): InputObject {
  return typedIn(visit);
}

function mountDelete({ app, web }: SettingsContext): void {
  const { parts } = web;
  const screen = async (visit: Visit, error = "", status = 200): Promise<Screen> => {
    const { ui } = visit;
    const role = await visit.get(`/api/roles/${idOf(visit)}`);
    const question = ui.t("Delete the role “:name”?", { name: role.display_name });
    const body = parts.confirm(ui, {
      question,
      detail: ui.t("Its :count users lose the role and its permissions. This cannot be undone.", {
        count: role.users.length,
      }),
      action: `${PATH}/${role.id}/delete`,
      submit: ui.t("Delete"),
      back: `${PATH}/${role.id}`,
      ...(error === "" ? {} : { fields: parts.notice(ui, "bad", error) }),
    });
    return { title: question, body, status };
  };
  web.screen(app.site, `${PATH}/:id/delete`, PERMIT, (visit) => screen(visit));
  web.form(app.site, `${PATH}/:id/delete`, PERMIT, async (visit) => {
    const sent = await visit.send("DELETE", `/api/roles/${idOf(visit)}`);
    if (sent.ok) return visit.goTo(PATH, visit.ui.t("The role is deleted."));
    const { error = "", status } = formErrors(sent);
    return screen(visit, error, status);
  });
}
