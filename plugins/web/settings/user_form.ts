import type { Ui, Web } from "lectern/contracts";
import { errorsOfList, type FormErrors, type Html, html } from "lectern/core";
import { inviteOf } from "./invites.ts";
import type { Invite, User } from "./users.ts";

/** Data of the form. */
export interface UserFormData {
  readonly title: string;
  /** Undefined for a new one. */
  readonly user: User | undefined;
  readonly typed: {
    readonly name: string;
    readonly email: string;
    readonly external_auth_id: string;
    readonly language: string;
    /** Ids of roles. */
    readonly roles: readonly string[];
    readonly invite: boolean;
  };
  /** All roles; undefined where the viewer may not list them. */
  readonly roles: User["roles"] | undefined;
  readonly languages: readonly (readonly [code: string, name: string])[];
  /** An invitation that was not accepted. */
  readonly invite: Invite | undefined;
  /** Whether this instance sends mail. */
  readonly canInvite: boolean;
  readonly formErrors: FormErrors;
}

const PATH = "/settings/users";

/** Draws the form of a user. */
export function userForm(web: Web, data: UserFormData, ui: Ui): Html {
  const { parts } = web;
  const { t } = ui;
  const { title, user, typed, formErrors } = data;
  const { errors, error } = formErrors;
  const emptyText = user ? t("Keep unchanged") : t("Browser language, or the instance default");
  const fields = html`
${parts.field(ui, { name: "name", label: t("Name"), value: typed.name, required: true, maxlength: 100, errors: errors.name, autocomplete: "off" })}
${parts.field(ui, { name: "email", label: t("E-mail address"), type: "email", value: typed.email, required: true, errors: errors.email, autocomplete: "off" })}
${rolesField(web, data, ui)}
${parts.field(ui, { name: "language", label: t("Language"), type: "select", value: typed.language, options: [["", emptyText], ...data.languages], errors: errors.language })}
${!user && data.canInvite && parts.field(ui, { name: "send_invite", label: t("Send an invitation email to choose a password"), type: "checkbox", value: typed.invite, errors: errors.send_invite })}
${parts.field(ui, { name: "password", label: user ? t("New password") : t("Password"), type: "password", errors: errors.password, autocomplete: "new-password", help: user ? t("Leave empty to keep the current password. A new password ends their sessions.") : data.canInvite ? t("At least 8 characters. Leave empty if an invitation is sent.") : t("At least 8 characters.") })}
${parts.field(ui, { name: "external_auth_id", label: t("External authentication ID"), value: typed.external_auth_id, maxlength: 255, errors: errors.external_auth_id })}`;
  const hasPicture = user !== undefined && !user.avatar_url.endsWith("/user_avatar.png");
  return html`<div class="head-line"><h1>${user && parts.avatar(ui, { name: user.name, url: user.avatar_url })} ${title}</h1>
${user && parts.dialogLink(ui, { path: `${PATH}/${user.id}/delete`, text: t("Delete"), icon: "delete", kind: "danger" })}</div>
${user && html`<p><a href="${ui.url(`/user/${encodeURIComponent(user.slug)}`)}">${t("As others see them")}</a></p>`}
${data.invite && inviteOf(web, data.invite, ui)}
${hasPicture && parts.button(ui, { action: `${PATH}/${user.id}/picture/delete`, text: t("Remove the picture") })}
${parts.form(ui, { action: user ? `${PATH}/${user.id}` : `${PATH}/create`, fields, submit: user ? t("Save") : t("Create the user"), cancel: PATH, error })}`;
}

function rolesField(web: Web, { roles, user, typed, formErrors }: UserFormData, ui: Ui): Html {
  const { t } = ui;
  if (!roles) {
    const held = user?.roles.map(({ display_name }) => display_name).join(", ");
    return html`<p><strong>${t("Roles")}</strong>: ${held || "–"}<br><span class="quiet">${t("Only users who can manage roles can change these.")}</span></p>`;
  }
  const wrong = errorsOfList(formErrors, "roles");
  return html`<fieldset class="choices"><legend>${t("Roles")}</legend><input type="hidden" name="offered" value="roles">
${wrong.length > 0 && web.parts.notice(ui, "bad", wrong.join(" "))}<div class="columns">
${roles.map(
  ({ id, display_name }) =>
    html`<label class="any-words"><input type="checkbox" name="roles[]" value="${id}"${typed.roles.includes(String(id)) && html` checked`}> ${display_name}</label>`,
)}</div></fieldset>`;
}
