/** The screen of a new key with its secret, shown only once, and the snippets for dashboards (dashboard-stats 5.2). */
import type { Ui, View, Web } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { CreatedKey, Key, Snippets } from "./api_types.ts";
import type { KeyKind } from "./key_kinds.ts";

/** Data of the screen of a new key. */
export interface CreatedData {
  readonly kind: KeyKind;
  readonly key: CreatedKey;
  /** Only for keys of dashboards. */
  readonly snippets: Snippets | undefined;
}

/** Data of the screen of a key's snippets. */
export interface SetupData {
  readonly title: string;
  readonly key: Key;
  readonly snippets: Snippets;
}

/** Names the view of a new key. */
export function createdView(web: Web, baseUrl: string, snippetsOf: View<Snippets>): View<CreatedData> {
  const { parts } = web;
  return web.view("integrations/key_created", ({ kind, key, snippets }, ui) => {
    const { t } = ui;
    return html`<h1>${t("Your new key")}</h1>
${parts.notice(ui, "note", t("Copy the secret now. It is shown only once."))}
<h2>${key.token_name}</h2>
${parts.copyable(ui, { label: t("Key"), value: key.token_key })}
${parts.copyable(ui, { label: t("Secret"), value: key.token_secret, secret: true })}
${kind.type === "dashboard" && parts.copyable(ui, { label: t("Base64 of key:secret"), value: key.basic, secret: true })}
${kind.type === "enrolment" && parts.copyable(ui, { label: t("Enrol a host with curl"), value: enrolCommand(baseUrl, key), secret: true })}
<p><a role="button" href="${ui.url(kind.path)}">${ui.icon("check")} ${t("I have saved the secret")}</a></p>
${snippets && snippetsOf(snippets, ui)}`;
  });
}

/** Names the view of a key's snippets. */
export function setupView(web: Web, snippetsOf: View<Snippets>): View<SetupData> {
  return web.view("integrations/key_setup", ({ title, snippets }, ui) => {
    return html`<h1>${title}</h1>${web.parts.notice(ui, "note", ui.t("The secret was shown when the key was created. If you lost it, create a new key."))}
${snippetsOf(snippets, ui)}`;
  });
}

/** Names the view of the snippets, which both screens show. */
export function snippetsView(web: Web): View<Snippets> {
  return web.view("integrations/snippets", (snippets, ui) => drawSnippets(web, snippets, ui));
}

function drawSnippets({ parts }: Web, snippets: Snippets, ui: Ui): Html {
  const { t } = ui;
  const text = (label: string, value: string) => parts.copyable(ui, { label, value, lines: true });
  return html`<section><h2>${t("For your dashboard")}</h2>
<p>${t("These snippets contain the key and a placeholder for the secret. Replace “<token secret>” with the secret.")}</p>
<h3>Homepage</h3>
<p>${t("The widget reads the key and the secret from environment variables of the Homepage container. Set both.")}</p>
${text(t("Homepage: three metrics"), snippets.homepage)}
${text(t("Homepage: all fourteen metrics"), snippets.homepage_all)}
${text(t("Homepage: environment variables"), snippets.homepage_environment)}
<h3>Homarr</h3>${text(t("Homarr: fields of the integration"), snippets.homarr)}
<h3>Glance</h3><p>${t("Glance reads the base64 text from its environment variable PATCH_BASIC.")}</p>${text(t("Glance: widget"), snippets.glance)}
<h3>Prometheus</h3>${text(t("Prometheus: scrape job"), snippets.prometheus)}
<h3>curl</h3>${text(t("Try it with curl"), snippets.curl)}</section>`;
}

/** A command by which a machine enrols itself under its host name. */
function enrolCommand(baseUrl: string, { token_key, token_secret }: CreatedKey): string {
  const url = `${baseUrl}/api/v1/auto-enrollment/enroll`;
  return `curl -fsS -H 'X-Auto-Enrollment-Key: ${token_key}' -H 'X-Auto-Enrollment-Secret: ${token_secret}' -H 'Content-Type: application/json' -d "{\\"friendly_name\\":\\"$(uname -n)\\"}" '${url}'`;
}
