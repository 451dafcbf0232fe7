import type { Ui, Web } from "lectern/contracts";
import { type FormErrors, type Html, html } from "lectern/core";

/** The actions of rules, in the order of the columns. */
export const ACTIONS = ["view", "create", "update", "delete"] as const;

/** The actions that have a box for a kind of items: pages have no child items to create. */
export function actionsOf(kind: string) {
  return ACTIONS.filter((action) => action !== "create" || kind !== "page");
}

/** The actions that a rule allows; null where the rule is inherited. */
export type Allowed = Readonly<Record<(typeof ACTIONS)[number], boolean | null>>;

/** A role, with its own rules for the item if it has any. */
export interface RoleRow {
  readonly id: number;
  readonly name: string;
  /** What is chosen: undefined where its own rules are not. */
  readonly allowed: Allowed | undefined;
  /** What is stored. */
  readonly stored: Allowed | undefined;
}

/** The actions that a row's rules allow, of those that have a box, as a hidden field of the form has them. */
export function allowedWords(allowed: Allowed | undefined, actions: readonly (keyof Allowed)[] = ACTIONS): string {
  return actions.filter((action) => allowed?.[action]).join(" ");
}

/** Data of the form. */
export interface ItemPermissionsData {
  readonly title: string;
  readonly kind: string;
  readonly name: string;
  /** The path of the item's screen. */
  readonly path: string;
  readonly owner: { readonly id: number; readonly name: string } | null;
  /** The chosen owner; "" for nobody. */
  readonly ownerId: string;
  /** Possible owners; undefined where the viewer may not list users. */
  readonly people: readonly { readonly id: number; readonly name: string }[] | undefined;
  readonly rows: readonly RoleRow[];
  /** The rules for everyone else. */
  readonly fallback: Pick<RoleRow, "allowed" | "stored">;
  readonly formErrors: FormErrors;
}

/** The id of the form, for the button below it. */
const FORM = "permissions-form";

const TEXTS = { view: "View", create: "Create", update: "Change", delete: "Delete" } as const;

/** Draws the form. */
export function permissionsForm({ parts }: Web, data: ItemPermissionsData, ui: Ui): Html {
  const { t } = ui;
  const { title, path, kind, owner, people, rows, fallback, formErrors } = data;
  const actions = actionsOf(kind);
  const row = (
    key: string,
    { name, label, inherited }: { name: Html | string; label: string; inherited: string },
    { allowed, stored }: Pick<RoleRow, "allowed" | "stored">,
  ) =>
    html`<tr><th scope="row" class="any-words">${name}</th>
<td><input type="hidden" name="rules[${key}][stored]" value="${allowedWords(stored, actions)}"><select name="rules[${key}][mode]" data-rules aria-label="${t("Rules for :name", { name: label })}"><option value="">${inherited}</option><option value="own"${allowed && html` selected`}>${t("Only selected permissions")}</option></select></td>
${actions.map(
  (action) =>
    html`<td><label><input type="checkbox" name="rules[${key}][${action}]" value="true"${allowed?.[action] && html` checked`} aria-label="${t(":name: :action", { name: label, action: t(TEXTS[action]) })}"> <span aria-hidden="true">${t(TEXTS[action])}</span></label></td>`,
)}</tr>`;
  const fields = html`<input type="hidden" name="owner_stored" value="${owner?.id ?? ""}">
${
  people &&
  parts.field(ui, {
    name: "owner_id",
    label: t("Owner"),
    type: "select",
    value: data.ownerId,
    options: [...(owner ? [] : [["", t("Nobody")] as const]), ...people.map((one) => [one.id, one.name] as const)],
  })
}
<div class="scrolls" tabindex="0" role="region" aria-label="${title}"><table class="permission-grid">
<caption class="unseen">${title}</caption>
<thead><tr><th scope="col">${t("Who")}</th><th scope="col">${t("Rules")}</th>${actions.map((action) => html`<th scope="col">${t(TEXTS[action])}</th>`)}</tr></thead>
<tbody>${rows.map((each) => row(`role${each.id}`, { name: each.name, label: each.name, inherited: t("Same as everyone else") }, each))}
${row("others", { name: html`<em>${t("Everyone else")}</em>`, label: t("Everyone else"), inherited: t("Inherited") }, fallback)}</tbody></table></div>`;
  return html`<h1>${title}</h1>
<p>${kind === "bookshelf" ? t("These rules apply to the shelf alone, and override role permissions. Checkboxes take effect where “Only selected permissions” is chosen. Administrators always have full access.") : t("These rules apply to this item and everything in it, and override role permissions. Checkboxes take effect where “Only selected permissions” is chosen. Administrators always have full access.")}</p>
${!people && owner && html`<p>${t("Owner: :name", { name: owner.name })}</p>`}
<div class="wide-form">${parts.form(ui, { id: FORM, action: `${path}/permissions`, fields, submit: t("Save"), cancel: path, error: formErrors.error })}</div>
${
  kind === "bookshelf" &&
  ui.serves("/api/content-permissions/bookshelf/0/copy-to-books", "POST") &&
  html`<section aria-labelledby="copy-down"><h2 id="copy-down">${t("Books on the shelf")}</h2>
<p>${t("A shelf does not pass its permissions on to its books. Copying gives all books on it, and what is in them, the permissions that are saved here.")}</p>
<button class="secondary outline" form="${FORM}" name="then" value="copy">${ui.icon("copy")} ${t("Save and copy to the books")}</button></section>`
}`;
}
