/**
 * The form of a role: a grid of content permissions, the system permissions with descriptions, and the permissions of plugins by name.
 * Unknown permissions are shown and kept, as a client or a plugin may have granted them.
 */
import type { PermissionLabel, Ui, Web } from "lectern/contracts";
import { errorsOfList, type FormErrors, type Html, html } from "lectern/core";
import {
  ADMIN_KEEPS,
  cellNames,
  GRID_COLUMNS,
  type GridRow,
  otherPermissions,
  type PermissionSection,
  SYSTEM_PERMISSIONS,
} from "./permission_names.ts";
import type { Role } from "./roles.ts";

/** Data of the form. */
export interface RoleFormData {
  readonly title: string;
  /** Undefined for a new one. */
  readonly role: Role | undefined;
  readonly typed: {
    readonly display_name: string;
    readonly description: string;
    readonly permissions: readonly string[];
  };
  /** Permissions that plugins add. */
  readonly added: readonly string[];
  /** Labels of these. */
  readonly labels: readonly PermissionLabel[];
  /** Rows of the grid of content permissions. */
  readonly rows: readonly GridRow[];
  readonly formErrors: FormErrors;
}

const PATH = "/settings/roles";

/** Draws the form of a role. */
export function roleForm({ parts }: Web, data: RoleFormData, ui: Ui): Html {
  const { t } = ui;
  const { title, role, typed, added, labels, rows, formErrors } = data;
  const { errors, error } = formErrors;
  const held = new Set(typed.permissions);
  const isAdmin = role?.system_name === "admin";
  const wrong = errorsOfList(formErrors, "permissions");
  const others = otherPermissions([...added, ...typed.permissions], rows, labels);
  const fields = html`
${parts.field(ui, { name: "display_name", label: t("Name"), value: typed.display_name, required: true, maxlength: 180, errors: errors.display_name })}
${parts.field(ui, { name: "description", label: t("Description"), value: typed.description, maxlength: 180, errors: errors.description })}
${wrong.length > 0 && parts.notice(ui, "bad", wrong.join(" "))}
<h2>${t("Content")}</h2>
<p class="quiet">${t("“All” applies to every item, “Own” to items the user owns. Permissions of single items can override this.")}</p>
${grid({ rows, held, ui })}
<h2>${t("System")}</h2>
${parts.notice(ui, "note", t("“Manage users” and “Manage roles” lead to every other permission, except the role of administrators: users who hold one can give it to themselves or act as a user who has it. “Manage settings” sends the details of every item to the addresses of webhooks. Give them only to users who are trusted with the whole instance."))}
<ul class="permission-list">${SYSTEM_PERMISSIONS.map(({ name, text, about }) => {
    const isFixed = isAdmin && ADMIN_KEEPS.has(name);
    return html`<li><label><input type="checkbox" name="permissions[]" value="${name}"${(isFixed || held.has(name)) && html` checked`}${isFixed && html` disabled`} aria-describedby="about-${name}"> ${t(text)}</label>
<small id="about-${name}">${t(about)}${isFixed && html` ${t("The administrator role always has this permission.")}`}</small></li>`;
  })}</ul>
${others.map((section) => sectionOf(section, held, ui))}`;
  return html`<div class="head-line"><h1>${title}</h1>
${
  role &&
  html`<div class="actions"><a role="button" class="small secondary outline" href="${ui.url(`${PATH}/create`)}?copy_from=${role.id}">${ui.icon("copy")} ${t("Copy")}</a>
${role.system_name === "" && parts.dialogLink(ui, { path: `${PATH}/${role.id}/delete`, text: t("Delete"), icon: "delete", kind: "danger" })}</div>`
}</div>
<div class="wide-form">${parts.form(ui, { action: role ? `${PATH}/${role.id}` : `${PATH}/create`, fields, submit: role ? t("Save") : t("Create the role"), cancel: PATH, error })}</div>
${role && members(role, ui)}`;
}

function sectionOf({ heading, permissions }: PermissionSection, held: ReadonlySet<string>, ui: Ui): Html {
  const { t } = ui;
  return html`<h2>${heading === "" ? t("Added by plugins") : t(heading)}</h2><ul class="permission-list">${permissions.map(
    ({ name, label, about }) =>
      html`<li><label class="any-words"><input type="checkbox" name="permissions[]" value="${name}"${held.has(name) && html` checked`}${
        about !== undefined && html` aria-describedby="about-${name}"`
      }> ${label !== undefined && html`${t(label)} `}<code>${name}</code></label>${
        about !== undefined && html`<small id="about-${name}">${t(about)}</small>`
      }</li>`,
  )}</ul>`;
}

function grid({ rows, held, ui }: { rows: readonly GridRow[]; held: ReadonlySet<string>; ui: Ui }): Html {
  const { t } = ui;
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="${t("Permissions on content")}"><table class="permission-grid">
<caption class="unseen">${t("Permissions on content")}</caption>
<thead><tr><th scope="col">${t("Items")}</th>${GRID_COLUMNS.map(({ text }) => html`<th scope="col">${t(text)}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr><th scope="row">${t(row.text)}</th>${GRID_COLUMNS.map(
        (column) => html`<td data-label="${t(column.text)}">${cell(row, column, held, ui)}</td>`,
      )}</tr>`,
  )}</tbody></table></div>`;
}

function cell(
  { kind, text, isSeenWithPage, names }: GridRow,
  { action, text: verb }: { action: string; text: string },
  held: ReadonlySet<string>,
  ui: Ui,
): Html {
  const { t } = ui;
  if (isSeenWithPage && action === "view") return html`<span class="quiet">${t("Same as the page")}</span>`;
  const { all, own } = cellNames(kind, action);
  const box = (name: string, scope: string) =>
    html`<label><input type="checkbox" name="permissions[]" value="${name}"${held.has(name) && html` checked`} aria-label="${t(":scope: :items, :action", { scope, items: t(text), action: t(verb) })}"> ${scope}</label>`;
  const offered = (name: string, scope: string) => (names === undefined || names.has(name)) && box(name, scope);
  return html`${offered(all, t("All"))} ${offered(own, t("Own"))}`;
}

function members({ users }: Role, ui: Ui): Html {
  const { t } = ui;
  if (users.length === 0)
    return html`<h2>${t("Users with this role")}</h2><p class="empty">${t("No users have this role.")}</p>`;
  const shown = (id: number, name: string) =>
    ui.may("users-manage") ? html`<a href="${ui.url(`/settings/users/${id}`)}">${name}</a>` : html`${name}`;
  return html`<h2>${t("Users with this role")}</h2><ul class="any-words">${users.map(({ id, name }) => html`<li>${shown(id, name)}</li>`)}</ul>`;
}
