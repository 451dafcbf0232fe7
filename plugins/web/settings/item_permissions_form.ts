import type { Ui, Web } from "lectern/contracts";
import { type FormErrors, type Html, html } from "lectern/core";

/** The actions of rules, in the order of the columns. */
export const ACTIONS = ["view", "create", "update", "delete"] as const;

/** The actions that a rule allows; null where the rule is inherited. */
export type Allowed = Readonly<Record<(typeof ACTIONS)[number], boolean | null>>;

/** A role, with its own rules for the item if it has any. */
export interface RoleRow {
  readonly id: number;
  readonly name: string;
  readonly allowed: Allowed | undefined;
}

/** Data of the form. */
export interface ItemPermissionsData {
  readonly title: string;
  readonly kind: string;
  readonly name: string;
  /** The path of the item's screen. */
  readonly path: string;
  readonly owner: { readonly id: number; readonly name: string } | null;
  /** Possible owners; undefined where the viewer may not list users. */
  readonly people: readonly { readonly id: number; readonly name: string }[] | undefined;
  readonly rows: readonly RoleRow[];
  /** The rules for everyone else; undefined where they are inherited. */
  readonly fallback: Allowed | undefined;
  readonly formErrors: FormErrors;
}

const TEXTS = { view: "View", create: "Create", update: "Change", delete: "Delete" } as const;

/** Draws the form. */
export function permissionsForm({ parts }: Web, data: ItemPermissionsData, ui: Ui): Html {
  const { t } = ui;
  const { title, path, kind, owner, people, rows, fallback, formErrors } = data;
  // Pages have no child items to create.
  const actions = ACTIONS.filter((action) => action !== "create" || kind !== "page");
  const row = (key: string, name: Html | string, defaultText: string, allowed: Allowed | undefined, label: string) =>
    html`<tr><th scope="row" class="any-words">${name}</th>
<td><select name="rules[${key}][mode]" aria-label="${t("Rules for :name", { name: label })}"><option value="">${defaultText}</option><option value="own"${allowed && html` selected`}>${t("Only selected permissions")}</option></select></td>
${actions.map(
  (action) =>
    html`<td><label><input type="checkbox" name="rules[${key}][${action}]" value="true"${allowed?.[action] && html` checked`} aria-label="${t(":name: :action", { name: label, action: t(TEXTS[action]) })}"> <span aria-hidden="true">${t(TEXTS[action])}</span></label></td>`,
)}</tr>`;
  const fields = html`
${
  people &&
  parts.field(ui, {
    name: "owner_id",
    label: t("Owner"),
    type: "select",
    value: owner?.id ?? "",
    options: [...(owner ? [] : [["", t("Nobody")] as const]), ...people.map((one) => [one.id, one.name] as const)],
  })
}
<div class="scrolls" tabindex="0" role="region" aria-label="${title}"><table class="permission-grid">
<caption class="unseen">${title}</caption>
<thead><tr><th scope="col">${t("Who")}</th><th scope="col">${t("Rules")}</th>${actions.map((action) => html`<th scope="col">${t(TEXTS[action])}</th>`)}</tr></thead>
<tbody>${rows.map(({ id, name, allowed }) => row(`role${id}`, name, t("Same as everyone else"), allowed, name))}
${row("others", html`<em>${t("Everyone else")}</em>`, t("Inherited"), fallback, t("Everyone else"))}</tbody></table></div>`;
  return html`<h1>${title}</h1>
<p>${t("These rules apply to this item and everything in it, and override role permissions. Checkboxes take effect where “Only selected permissions” is chosen. Administrators always have full access.")}</p>
${!people && owner && html`<p>${t("Owner: :name", { name: owner.name })}</p>`}
<div class="wide-form">${parts.form(ui, { action: `${path}/permissions`, fields, submit: t("Save"), cancel: path, error: formErrors.error })}</div>`;
}
