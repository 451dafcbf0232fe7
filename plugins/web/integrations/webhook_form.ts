/**
 * The form of a webhook: where it calls, what it is told of, and how it stands. Types of events come from the API, since
 * every plugin may add some; here they are only put under headings. A secret that is not typed stays as it is, or is made
 * up for a new webhook. One that the runtime switched off says why, above the form by which it is switched on again.
 */
import type { SubmitResult, Ui, View, Visit, Web } from "lectern/contracts";
import { type Html, html, type InputObject } from "lectern/core";
import type { EventType, Webhook } from "./api_types.ts";
import { besideField, generalError } from "./form_errors.ts";
import { stateBadge, WEBHOOKS, wasSwitchedOff } from "./webhook_list.ts";

/** What was typed, or stands in the form at first. */
export interface HookForm {
  readonly name: string;
  readonly endpoint: string;
  readonly timeout: string;
  readonly secret: string;
  readonly active: boolean;
  readonly events: readonly string[];
}

/** What the form shows. */
export interface HookFormData {
  readonly title: string;
  readonly hook: Webhook | undefined;
  readonly events: readonly EventType[];
  readonly typed: HookForm;
  readonly sent: SubmitResult<unknown> | undefined;
}

const FIELDS = ["name", "endpoint", "timeout", "secret", "events"];
const DEFAULT_TIMEOUT = 3;

/** Beginnings of types by the heading under which people look for them; the first that fits. */
const GROUPS: readonly (readonly [heading: string, beginnings: readonly string[]])[] = [
  ["Pages", ["page_"]],
  ["Chapters", ["chapter_"]],
  ["Books", ["book_"]],
  ["Shelves", ["bookshelf_"]],
  ["Comments", ["comment"]],
  ["Users and roles", ["user_", "role_", "permissions_"]],
  ["Sign-in and tokens", ["auth_", "api_token_", "session_"]],
  ["Hosts and keys", ["host_", "dashboard_key_"]],
  ["Recycle bin and imports", ["recycle_bin_", "import_"]],
  ["Others", [""]],
];

/** The form as it begins: for a new webhook, or with what one has. */
export function emptyHook(hook?: Webhook): HookForm {
  return {
    name: hook?.name ?? "",
    endpoint: hook?.endpoint ?? "",
    timeout: String(hook?.timeout ?? DEFAULT_TIMEOUT),
    secret: "",
    active: hook?.active ?? true,
    events: hook?.events ?? [],
  };
}

/** The form as it was sent. */
export function hookFormOf(visit: Visit): HookForm {
  const { events } = visit.input;
  const listed = typeof events === "object" && events !== null ? Object.values(events) : [events];
  return {
    name: visit.text("name"),
    endpoint: visit.text("endpoint"),
    timeout: visit.text("timeout"),
    secret: visit.text("secret"),
    active: visit.text("active") === "true",
    events: listed.filter((one) => typeof one === "string"),
  };
}

/** What the API is sent of it; a secret that is not typed stays, or is made up. */
export function hookSentOf({ secret, events, ...rest }: HookForm): InputObject {
  return { ...rest, events: [...events], ...(secret !== "" && { secret }) };
}

/** Names the form's view. */
export function hookFormView(web: Web): View<HookFormData> {
  const { parts } = web;
  return web.view<HookFormData>("integrations/webhook_form", ({ title, hook, events, typed, sent }, ui) => {
    const { t } = ui;
    const errors = (name: string) => besideField(sent, name);
    const fields = html`${parts.field(ui, { name: "name", label: t("Name"), value: typed.name, required: true, maxlength: 150, errors: errors("name"), autocomplete: "off" })}
${parts.field(ui, { name: "endpoint", label: t("Address to call"), type: "url", value: typed.endpoint, required: true, maxlength: 500, errors: errors("endpoint"), autocomplete: "off", placeholder: "https://" })}
${choices(events, typed.events, errors("events"), ui)}
${parts.field(ui, { name: "timeout", label: t("Response timeout in seconds"), type: "number", min: 1, max: 600, value: typed.timeout, errors: errors("timeout") })}
${parts.field(ui, { name: "secret", label: hook ? t("New secret") : t("Custom secret"), value: typed.secret, maxlength: 200, errors: errors("secret"), autocomplete: "off", help: hook ? t("Leave empty to keep the current secret.") : t("Leave empty to generate one. It is shown only once.") })}
${parts.field(ui, { name: "active", label: t("Active"), type: "checkbox", value: typed.active })}`;
    const action = hook ? `${WEBHOOKS}/${hook.id}` : `${WEBHOOKS}/create`;
    const submit = hook ? t("Save") : t("Create the webhook");
    return html`<div class="head-line"><h1>${title} ${hook && stateBadge(web, hook, ui)}</h1>${hook && acts(web, hook, ui)}</div>
${hook && standing(web, hook, ui)}
${parts.form(ui, { action, fields, submit, cancel: WEBHOOKS, error: generalError(sent, FIELDS) })}`;
  });
}

function acts({ parts }: Web, { id }: Webhook, ui: Ui): Html {
  const { t } = ui;
  return html`<div class="actions"><a role="button" class="small secondary outline" href="${ui.url(`${WEBHOOKS}/${id}/deliveries`)}">${ui.icon("history")} ${t("Calls")}</a>
${parts.dialogLink(ui, { path: `${WEBHOOKS}/${id}/delete`, text: t("Delete"), icon: "delete", kind: "danger" })}</div>`;
}

function standing({ parts }: Web, hook: Webhook, ui: Ui): Html {
  const { t } = ui;
  if (wasSwitchedOff(hook))
    return parts.notice(
      ui,
      "bad",
      html`${hook.last_error} <br>${t("Select “Active” and save to start again. Waiting calls are sent then.")}`,
    );
  if (!hook.active || hook.failing_since === null) return html``;
  return parts.notice(
    ui,
    "bad",
    html`${t("Consecutive failed calls: :count. Since:", { count: hook.failures })} ${ui.time(hook.failing_since)}<br>${hook.last_error}`,
  );
}

function choices(events: readonly EventType[], chosen: readonly string[], errors: readonly string[], ui: Ui): Html {
  const { t } = ui;
  const groups = new Map(GROUPS.map(([heading]) => [heading, [] as EventType[]]));
  for (const event of events) groups.get(headingOf(event))?.push(event);
  // What a webhook was set up with stays a choice when the plugin that told of it is gone.
  const known = new Set(events.map(({ type }) => type));
  for (const type of chosen)
    if (type !== "all" && !known.has(type)) groups.get("Others")?.push({ type, text: type.replaceAll("_", " ") });
  const box = (type: string, text: string) =>
    html`<label><input type="checkbox" name="events[]" value="${type}"${chosen.includes(type) && html` checked`}> ${text}</label>`;
  return html`<fieldset class="event-choices"${errors.length > 0 && html` aria-describedby="events-fault"`}><legend class="needed-group">${t("Events")}</legend>
${errors.length > 0 && html`<small class="fault" id="events-fault">${ui.icon("warning")} ${errors.join(" ")}</small>`}
${box("all", t("All events, including future ones"))}
<div class="choice-groups">${[...groups].map(
    ([heading, members]) =>
      members.length > 0 &&
      html`<fieldset><legend>${t(heading)}</legend>${members.map(({ type, text }) => box(type, t(text)))}</fieldset>`,
  )}</div></fieldset>`;
}

function headingOf({ type }: EventType): string {
  return GROUPS.find(([, beginnings]) => beginnings.some((one) => type.startsWith(one)))?.[0] ?? "Others";
}
