/**
 * The fields of settings: one for each, by what it is changed with, and what is shown in place of a field where a variable sets it. A list of
 * links offers empty rows, and a colour its area as an attribute of a shape, so that neither needs a script, and the policy of screens no
 * exception. Secrets are written and never shown.
 */
import type { Ui, Web } from "lectern/contracts";
import { errorsOfList, type FormErrors, type Html, html, type InputObject, type InputValue } from "lectern/core";
import type { SettingsFormData, ShownSetting } from "./contract.ts";

type Parts = Web["parts"];

/** Empty rows that a list offers, so that no script is needed to add some. */
const SPARE_ROWS = 2;

/** The suffix of the box that removes a secret. */
export const REMOVE = "_remove";

/** The field of a setting. */
export function settingField(
  parts: Parts,
  setting: ShownSetting,
  { typed, formErrors }: Pick<SettingsFormData, "typed" | "formErrors">,
  ui: Ui,
): Html {
  const { choices, control, help, label, name, shown } = setting;
  if (shown.locked_by !== null) return lockedField(setting, shown.locked_by, ui);
  const value = typed[name] ?? shown.value;
  const spec = {
    name,
    label: ui.t(label),
    errors: errorsOfList(formErrors, name),
    ...(help !== undefined && { help: ui.t(help) }),
  };
  if (control === "links") return linksField(setting, { value, formErrors }, ui);
  if (control === "secret") return secretField(parts, setting, spec, ui);
  const text = typeof value === "string" || typeof value === "number" ? value : "";
  if (control === "switch") return parts.field(ui, { ...spec, type: "checkbox", value: value === true });
  if (control === "choice")
    return parts.field(ui, {
      ...spec,
      type: "select",
      value: text,
      options: choices,
    });
  if (control === "color")
    return html`<div class="color-setting">${parts.field(ui, { ...spec, value: text, maxlength: 7, placeholder: "#" })}${swatch(text)}</div>`;
  // It has a form of its own.
  if (control === "picture") return html``;
  const types = { text: "text", lines: "textarea", number: "number" } as const;
  return parts.field(ui, { ...spec, type: types[control], value: text, autocomplete: "off" });
}

/** A setting that a variable sets: its value, and the name of the variable. */
function lockedField({ choices, control, label, name, shown }: ShownSetting, variable: string, ui: Ui): Html {
  const { t } = ui;
  const texts = new Map(choices);
  const value = shown.value;
  const told =
    control === "secret"
      ? t("Set, and not shown")
      : typeof value === "boolean"
        ? t(value ? "Yes" : "No")
        : (texts.get(String(value)) ?? String(value));
  return html`<div class="field locked"><strong id="locked-${name}">${t(label)}</strong>
<output aria-labelledby="locked-${name}">${ui.icon("lock")} ${told === "" ? "–" : told}</output>
<small>${t("Set by :variable in the environment of the server.", { variable })}</small></div>`;
}

/** A small area of the colour, as an attribute and not as a style, which the policy of screens would block. */
function swatch(color: string | number): Html | false {
  return (
    /^#[0-9a-f]{6}$/i.test(String(color)) &&
    html`<svg class="swatch" viewBox="0 0 2 1" aria-hidden="true"><rect width="2" height="1" fill="${color}"/></svg>`
  );
}

function secretField(parts: Parts, { name, shown }: ShownSetting, spec: Parameters<Parts["field"]>[1], ui: Ui): Html {
  const { t } = ui;
  const help = shown.is_set ? t("One is stored. Leave empty to keep it.") : (spec.help ?? t("None is stored."));
  const remove =
    shown.is_set && parts.field(ui, { name: `${name}${REMOVE}`, label: t("Remove the stored one"), type: "checkbox" });
  return html`${parts.field(ui, { ...spec, type: "password", help, autocomplete: "new-password" })}${remove}`;
}

function linksField(
  { help, label, name }: ShownSetting,
  { value, formErrors }: { readonly value: InputValue; readonly formErrors: FormErrors },
  ui: Ui,
): Html {
  const { t } = ui;
  const rows = [...rowsOf(value), ...Array.from({ length: SPARE_ROWS }, () => ({ text: "", url: "" }))];
  const wrong = errorsOfList(formErrors, name);
  const cell = (at: number, key: "text" | "url", text: string) => {
    const isInvalid = (formErrors.errors[`${name}.${at}.${key}`] ?? []).length > 0;
    const title = t(key === "text" ? "Text of link :number" : "Address of link :number", { number: at + 1 });
    return html`<input type="text" name="${name}[${at}][${key}]" value="${text}" aria-label="${title}" placeholder="${t(key === "text" ? "Text" : "Address")}" autocomplete="off"${isInvalid && html` aria-invalid="true"`}>`;
  };
  return html`<fieldset class="link-rows"><legend>${t(label)}</legend>
${help !== undefined && html`<small>${t(help)}</small>`}
${wrong.length > 0 && html`<small class="fault" role="alert">${ui.icon("warning")} ${wrong.join(" ")}</small>`}
${rows.map(({ text, url }, at) => html`<div class="link-row">${cell(at, "text", text)}${cell(at, "url", url)}</div>`)}</fieldset>`;
}

/** The rows of a list of links, as they are stored or were typed. */
function rowsOf(value: InputValue): { text: string; url: string }[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((row) => {
    if (typeof row !== "object" || row === null) return [];
    const { text = "", url = "" } = row as InputObject;
    return [{ text: String(text), url: String(url) }];
  });
}

/** What the form of settings sends to the API: a box that is not ticked is not in a form, and spare rows are left out. */
export function inputOf(settings: readonly ShownSetting[], input: InputObject): InputObject {
  const sent: Record<string, InputValue> = {};
  for (const { control, name, shown } of settings) {
    if (shown.locked_by !== null || control === "picture") continue;
    const value = input[name];
    if (control === "switch") sent[name] = value !== undefined;
    else if (control === "links")
      sent[name] = rowsOf(value ?? null).filter(({ text, url }) => text !== "" || url !== "");
    else if (control !== "secret") sent[name] = value === "" || value === undefined ? null : value;
    else if (input[`${name}${REMOVE}`] !== undefined) sent[name] = null;
    else if (value !== undefined && value !== "") sent[name] = value;
  }
  return sent;
}
