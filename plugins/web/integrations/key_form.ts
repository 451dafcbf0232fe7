/** The form that creates or edits a key. */
import type { SubmitResult, View, Visit, Web } from "lectern/contracts";
import { type Html, html, type InputObject } from "lectern/core";
import type { Key } from "./api_types.ts";
import { fieldErrors, generalError } from "./form_errors.ts";
import type { KeyKind } from "./key_kinds.ts";
import { fieldTime, utcTime, ZONES } from "./time_zones.ts";

/** The fields of the form. */
export interface KeyForm {
  readonly name: string;
  readonly addresses: string;
  readonly expires: string;
  readonly zone: string;
  readonly perDay: string;
}

/** Data of the form. */
export interface KeyFormData {
  readonly kind: KeyKind;
  readonly title: string;
  readonly action: string;
  readonly typed: KeyForm;
  readonly sent: SubmitResult<unknown> | undefined;
}

const DEFAULT_PER_DAY = "100";

/** The initial fields: empty, or those of a key. */
export function initialForm(key?: Key): KeyForm {
  return {
    name: key?.token_name ?? "",
    addresses: key?.allowed_ip_ranges.join("\n") ?? "",
    expires: fieldTime(key?.expires_at ?? null),
    zone: "UTC",
    perDay: String(key?.max_hosts_per_day ?? DEFAULT_PER_DAY),
  };
}

/** The submitted fields. */
export function formOf(visit: Visit): KeyForm {
  return {
    name: visit.text("token_name"),
    addresses: visit.text("allowed_ip_ranges"),
    expires: visit.text("expires_at"),
    zone: visit.text("zone"),
    perDay: visit.text("max_hosts_per_day"),
  };
}

/** The fields as a body of the API. */
export function inputOf({ name, addresses, expires, zone, perDay }: KeyForm, { type }: KeyKind): InputObject {
  return {
    token_name: name,
    allowed_ip_ranges: addresses
      .split(/[\s,;]+/)
      .map((address) => address.trim())
      .filter(Boolean),
    expires_at: utcTime(zone, expires),
    ...(type === "enrolment" && { max_hosts_per_day: perDay }),
  };
}

/** Names the form's view. */
export function keyFormView(web: Web): View<KeyFormData> {
  const { parts } = web;
  return web.view("integrations/key_form", ({ kind, title, action, typed, sent }, ui): Html => {
    const { t } = ui;
    const errors = (name: string) => fieldErrors(sent, name);
    const fields = html`${parts.field(ui, { name: "token_name", label: t("Name"), value: typed.name, required: true, maxlength: 255, errors: errors("token_name"), autocomplete: "off", help: t("What the key is for, such as the name of the dashboard.") })}
${parts.field(ui, { name: "allowed_ip_ranges", label: t("Allowed addresses"), type: "textarea", rows: 3, value: typed.addresses, errors: errors("allowed_ip_ranges"), placeholder: "192.0.2.10", help: t("One address or network per line, or separated by commas, such as 192.0.2.10 or 2001:db8::/32. Leave empty to allow any address.") })}
<div class="side-by-side">${parts.field(ui, { name: "expires_at", label: t("Expires"), type: "datetime-local", value: typed.expires, errors: errors("expires_at"), help: t("Leave empty for a key that does not expire.") })}
${parts.field(ui, { name: "zone", label: t("Time zone of the expiry"), type: "select", value: typed.zone, options: ZONES.map((zone) => [zone, zone.replaceAll("_", " ")] as const) })}</div>
${kind.type === "enrolment" && parts.field(ui, { name: "max_hosts_per_day", label: t("Hosts per day"), type: "number", min: 1, max: 1000, value: typed.perDay, required: true, errors: errors("max_hosts_per_day") })}`;
    const submit = action.endsWith("/new") ? t("Create the key") : t("Save");
    return html`<h1>${title}</h1>
${parts.form(ui, { action, fields, submit, cancel: kind.path, error: generalError(sent, FIELDS) })}`;
  });
}

const FIELDS = ["token_name", "allowed_ip_ranges", "expires_at", "max_hosts_per_day"];
