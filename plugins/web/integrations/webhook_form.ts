/**
 * The form of a webhook: URL, events, status. The event types come from the API, as every plugin can add some; the form only groups
 * them. An empty secret is kept, or generated for a new webhook. For a webhook that was disabled after failures, the
 * reason is shown above the form.
 */
import type { SubmitResult, Ui, View, Visit, Web } from "lectern/contracts";
import { type Html, html, type InputObject } from "lectern/core";
import type { EventType, Webhook } from "./api_types.ts";
import { fieldErrors, generalError } from "./form_errors.ts";
import { stateBadge, WEBHOOKS, wasDisabled } from "./webhook_list.ts";

/** The fields of the form. */
export interface HookForm {
  readonly name: string;
  readonly endpoint: string;
  readonly timeout: string;
  readonly secret: string;
  readonly active: boolean;
  readonly events: readonly string[];
}

/** Data of the form. */
export interface HookFormData {
  readonly title: string;
  readonly hook: Webhook | undefined;
  readonly events: readonly EventType[];
  readonly typed: HookForm;
  readonly sent: SubmitResult<unknown> | undefined;
}

const FIELDS = ["name", "endpoint", "timeout", "secret", "events"];
const DEFAULT_TIMEOUT = 3;

/** Prefixes of event types by heading; the first match counts. */
const GROUPS: readonly (readonly [heading: string, prefixes: readonly string[]])[] = [
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

/** The initial fields: defaults, or those of a webhook. */
export function initialHookForm(hook?: Webhook): HookForm {
  return {
    name: hook?.name ?? "",
    endpoint: hook?.endpoint ?? "",
    timeout: String(hook?.timeout ?? DEFAULT_TIMEOUT),
    secret: "",
    active: hook?.active ?? true,
    events: hook?.events ?? [],
  };
}

/** The submitted fields. */
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

/** The fields as a body of the API, without an empty secret. */
export function hookInputOf({ secret, events, ...rest }: HookForm): InputObject {
  return { ...rest, events: [...events], ...(secret !== "" && { secret }) };
}

/** Names the form's view. */
export function hookFormView(web: Web): View<HookFormData> {
  const { parts } = web;
  return web.view("integrations/webhook_form", ({ title, hook, events, typed, sent }, ui) => {
    const { t } = ui;
    const errors = (name: string) => fieldErrors(sent, name);
    const fields = html`${parts.field(ui, { name: "name", label: t("Name"), value: typed.name, required: true, maxlength: 150, errors: errors("name"), autocomplete: "off" })}
${parts.field(ui, { name: "endpoint", label: t("Address to call"), type: "url", value: typed.endpoint, required: true, maxlength: 500, errors: errors("endpoint"), autocomplete: "off", placeholder: "https://" })}
${choices(events, typed.events, errors("events"), ui)}
${parts.field(ui, { name: "timeout", label: t("Response timeout in seconds"), type: "number", min: 1, max: 600, value: typed.timeout, errors: errors("timeout") })}
${parts.field(ui, { name: "secret", label: hook ? t("New secret") : t("Custom secret"), value: typed.secret, maxlength: 200, errors: errors("secret"), autocomplete: "off", help: hook ? t("Leave empty to keep the current secret.") : t("Leave empty to generate one. It is shown only once.") })}
${parts.field(ui, { name: "active", label: t("Active"), type: "checkbox", value: typed.active })}`;
    const action = hook ? `${WEBHOOKS}/${hook.id}` : `${WEBHOOKS}/create`;
    const submit = hook ? t("Save") : t("Create the webhook");
    return html`<div class="head-line"><h1>${title} ${hook && stateBadge(web, hook, ui)}</h1>${hook && actions(web, hook, ui)}</div>
${hook && failureNotice(web, hook, ui)}
${parts.form(ui, { action, fields, submit, cancel: WEBHOOKS, error: generalError(sent, FIELDS) })}`;
  });
}

function actions({ parts }: Web, { id }: Webhook, ui: Ui): Html {
  const { t } = ui;
  return html`<div class="actions"><a role="button" class="small secondary outline" href="${ui.url(`${WEBHOOKS}/${id}/deliveries`)}">${ui.icon("history")} ${t("Calls")}</a>
${parts.dialogLink(ui, { path: `${WEBHOOKS}/${id}/delete`, text: t("Delete"), icon: "delete", kind: "danger" })}</div>`;
}

function failureNotice({ parts }: Web, hook: Webhook, ui: Ui): Html {
  const { t } = ui;
  if (wasDisabled(hook))
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
  const groups = new Map<string, EventType[]>(GROUPS.map(([heading]) => [heading, []]));
  for (const event of events) {
    const heading = headingOf(event);
    groups.set(heading, [...(groups.get(heading) ?? []), event]);
  }
  // Chosen types stay in the form when the plugin that declares them is gone.
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

function headingOf({ type, section }: EventType): string {
  return section ?? GROUPS.find(([, prefixes]) => prefixes.some((one) => type.startsWith(one)))?.[0] ?? "Others";
}
