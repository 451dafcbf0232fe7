/**
 * The API tokens of the user. Only the answer to the form that creates a token has its secret. It is a screen instead of a redirect, as
 * the secret must not be stored in between.
 */
import type { Answers, Screen, Ui, Visit, Web } from "lectern/contracts";
import {
  errorsOfList,
  type FormErrors,
  formErrors,
  type Html,
  html,
  type InputObject,
  type InputValue,
  isUpload,
  type Permit,
  writtenDay,
} from "lectern/core";
import type { AccountContext } from "./contract.ts";

/** A token in listings. */
export type Token = Answers[`/api/users/${number}/tokens`]["data"][number];

/** Data of the form. */
export interface NewTokenData {
  readonly name: string;
  readonly expires_at: string;
  readonly isReadOnly: boolean;
  readonly isLimited: boolean;
  readonly chosen: readonly string[];
  /** The permissions of the user, which limit those of the token. */
  readonly permissions: readonly string[];
  readonly formErrors: FormErrors;
}

/** Who may use the API, and with it tokens. */
export const TOKENS_PERMIT: Permit = "access-api";

const PATH = "/my-account/tokens";
/** The API gives tokens without an expiry one after this many years. */
const NEVER_YEARS = 100;

/** Mounts the screens. */
export function mountTokens({ app, web }: AccountContext): void {
  const listView = web.view("account/tokens", (data, ui) => list(web, data.tokens, ui));
  const newView = web.view("account/new_token", (data, ui) => newForm(web, data, ui));
  const createdView = web.view("account/token_made", (token, ui) => created(web, token, ui));
  const api = (visit: Visit) => `/api/users/${visit.viewer.id}/tokens` as const;

  web.screen(app.site, PATH, TOKENS_PERMIT, async (visit) => {
    const { data } = await visit.get(`${api(visit)}?count=500&sort=name`);
    return { title: visit.ui.t("API tokens"), body: listView({ tokens: data }, visit.ui) };
  });
  const form = (visit: Visit, data: Partial<NewTokenData> = {}): Screen => {
    const blank = {
      name: "",
      expires_at: "",
      isReadOnly: false,
      isLimited: false,
      chosen: [],
      formErrors: formErrors(undefined),
    };
    const permissions = [...visit.viewer.permissions].filter((name) => name !== "access-api").sort();
    return {
      title: visit.ui.t("New API token"),
      body: newView({ ...blank, permissions, ...data }, visit.ui),
      status: data.formErrors?.status ?? 200,
    };
  };
  web.screen(app.site, `${PATH}/create`, TOKENS_PERMIT, (visit) => form(visit));
  web.form(app.site, `${PATH}/create`, TOKENS_PERMIT, async (visit) => {
    const typed = {
      name: visit.text("name"),
      expires_at: visit.text("expires_at"),
      isReadOnly: visit.text("read_only") === "true",
      isLimited: visit.text("limited") === "true",
      chosen: listIn(visit.input.permissions),
    };
    const sent = await visit.send("POST", api(visit), inputOf(typed));
    if (!sent.ok) return form(visit, { ...typed, formErrors: formErrors(sent) });
    return { title: visit.ui.t("Your new API token"), body: createdView(sent.body, visit.ui), menu: PATH };
  });
  web.screen(app.site, `${PATH}/:id/delete`, TOKENS_PERMIT, async (visit) => {
    const { ui, params } = visit;
    const { data } = await visit.get(`${api(visit)}?count=1&filter[id]=${encodeURIComponent(params.id ?? "")}`);
    const [token] = data;
    if (!token) return visit.goTo(PATH);
    const question = ui.t("Revoke “:name”?", { name: token.name });
    const detail = ui.t("Programs that use this token lose access immediately. This cannot be undone.");
    const action = `${PATH}/${token.id}/delete`;
    return {
      title: question,
      body: web.parts.confirm(ui, { question, detail, action, submit: ui.t("Revoke"), back: PATH }),
    };
  });
  web.form(app.site, `${PATH}/:id/delete`, TOKENS_PERMIT, async (visit) => {
    const sent = await visit.send("DELETE", `${api(visit)}/${encodeURIComponent(visit.params.id ?? "")}`);
    return visit.goTo(PATH, sent.ok ? visit.ui.t("The token is revoked.") : sent.message);
  });
}

function inputOf({
  name,
  expires_at,
  isReadOnly,
  isLimited,
  chosen,
}: Omit<NewTokenData, "permissions" | "formErrors">): InputObject {
  return {
    name,
    ...(expires_at === "" ? {} : { expires_at }),
    read_only: isReadOnly,
    ...(isLimited ? { permissions: [...chosen] } : {}),
  };
}

/** The texts of a list in a form. */
function listIn(value: InputValue | undefined): string[] {
  if (typeof value !== "object" || value === null || isUpload(value)) return [];
  return Object.values(value).filter((item): item is string => typeof item === "string");
}

function list({ parts }: Web, tokens: readonly Token[], ui: Ui): Html {
  const { t } = ui;
  const rows = tokens.map((token) => [
    html`<strong class="any-words">${token.name}</strong><br><code class="quiet">${token.token_id}</code>`,
    scopeOf(parts, token, ui),
    expiryOf(parts, token, ui),
    token.last_used_at === null ? t("Never") : ui.time(token.last_used_at),
    parts.dialogLink(ui, { path: `${PATH}/${token.id}/delete`, text: t("Revoke"), kind: "danger" }),
  ]);
  const head = [
    t("Name"),
    t("Permissions"),
    t("Expires"),
    t("Last used"),
    html`<span class="unseen">${t("Actions")}</span>`,
  ];
  return html`<div class="head-line"><h1>${t("API tokens")}</h1>
<a role="button" class="small" href="${ui.url(`${PATH}/create`)}">${ui.icon("plus")} ${t("New token")}</a></div>
<p>${t("Programs use the API on your behalf with a token. A token has your permissions, or fewer if you limit it.")}</p>
${parts.table(ui, { caption: t("Your API tokens"), head, rows, empty: t("You have no API tokens.") })}`;
}

function scopeOf(parts: Web["parts"], { read_only, permissions }: Token, ui: Ui): Html {
  const { t } = ui;
  const badges = [
    read_only && parts.badge(ui, "note", t("Read only")),
    permissions !== null &&
      html`<span title="${permissions.join(", ")}">${parts.badge(ui, "note", t("Selected permissions (:count)", { count: permissions.length }))}</span>`,
  ].filter((badge) => badge !== false);
  return badges.length === 0 ? html`${t("All your permissions")}` : html`${badges.map((badge) => html`${badge} `)}`;
}

function expiryOf(parts: Web["parts"], { created_at, expires_at }: Token, ui: Ui): Html {
  const today = new Date().toISOString().slice(0, 10);
  if (expires_at <= today)
    return parts.badge(ui, "bad", ui.t("Expired on :day", { day: writtenDay(expires_at, ui.language) }));
  const createdOn = created_at.slice(0, 10);
  const isNever = expires_at === `${Number(createdOn.slice(0, 4)) + NEVER_YEARS}${createdOn.slice(4)}`;
  return html`${isNever ? ui.t("Never") : expires_at}`;
}

function newForm({ parts }: Web, data: NewTokenData, ui: Ui): Html {
  const { t } = ui;
  const { errors, error } = data.formErrors;
  const wrong = errorsOfList(data.formErrors, "permissions");
  const fields = html`
${parts.field(ui, { name: "name", label: t("Name"), value: data.name, required: true, maxlength: 250, errors: errors.name, help: t("What the token is for, so that you can recognise it later."), autofocus: true })}
${parts.field(ui, { name: "expires_at", label: t("Expires on"), type: "date", value: data.expires_at, errors: errors.expires_at, help: t("The token expires at the start of this day. Leave empty for a token that does not expire.") })}
${parts.field(ui, { name: "read_only", label: t("Read only"), type: "checkbox", value: data.isReadOnly, help: t("Requests that change data are rejected.") })}
${parts.field(ui, { name: "limited", label: t("Limit to the permissions selected below"), type: "checkbox", value: data.isLimited, errors: wrong.length > 0 ? wrong : undefined, help: t("A token never has more permissions than you.") })}
<details class="choices"${data.isLimited && html` open`}><summary>${t("Permissions")}</summary><fieldset><legend class="unseen">${t("Permissions")}</legend><div class="columns">
${data.permissions.map(
  (name) =>
    html`<label><input type="checkbox" name="permissions[]" value="${name}"${data.chosen.includes(name) && html` checked`}> <code>${name}</code></label>`,
)}</div></fieldset></details>`;
  return html`<h1>${t("New API token")}</h1>
${parts.form(ui, { action: `${PATH}/create`, fields, submit: t("Create the token"), cancel: PATH, error })}`;
}

function created({ parts }: Web, { name, token_id, secret }: Token & { secret: string }, ui: Ui): Html {
  const { t } = ui;
  return html`<h1>${t("Your new API token")}</h1>
${parts.notice(ui, "note", t("Copy the secret of “:name” now. It is shown only once.", { name }))}
${parts.copyable(ui, { label: t("Token ID"), value: token_id })}
${parts.copyable(ui, { label: t("Token secret"), value: secret, secret: true })}
${parts.copyable(ui, { label: t("Request header"), value: `Authorization: Token ${token_id}:${secret}`, secret: true })}
<p><a role="button" href="${ui.url(PATH)}">${t("I have copied it")}</a></p>`;
}
