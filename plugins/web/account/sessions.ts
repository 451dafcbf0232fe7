import type { Answers, Ui, Visit } from "lectern/contracts";
import { html } from "lectern/core";
import type { AccountContext } from "./contract.ts";

/** A session in the API. */
export type Session = Answers[`/api/users/${number}/sessions`]["data"][number];

const PATH = "/my-account/sessions";
/** Patterns of user agents; the first match counts, as most user agents also name other browsers. */
const BROWSERS = [
  [/Edg(?:e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\/|FxiOS/, "Firefox"],
  [/Chrome\/|CriOS/, "Chrome"],
  [/Safari\//, "Safari"],
] as const;
const SYSTEMS = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux|X11/, "Linux"],
] as const;

/** Mounts the sessions of the user. */
export function mountSessions({ app, web }: AccountContext): void {
  const { parts } = web;
  const view = web.view("account/sessions", ({ sessions }, ui) => {
    const { t } = ui;
    const rows = sessions.map(({ id, address, agent, created_at, last_seen_at, current }) => [
      html`<span title="${agent}">${browserOf(agent, ui)}</span>${current && html` ${parts.badge(ui, "good", t("This session"))}`}`,
      address,
      ui.time(created_at),
      ui.time(last_seen_at),
      current ? "" : parts.button(ui, { action: `${PATH}/${id}/delete`, text: t("End") }),
    ]);
    const head = [
      t("Browser"),
      t("Address"),
      t("Signed in"),
      t("Last seen"),
      html`<span class="unseen">${t("Actions")}</span>`,
    ];
    const others = sessions.filter(({ current }) => !current).length;
    return html`<div class="head-line"><h1>${t("Sessions")}</h1>
${others > 0 && parts.button(ui, { action: `${PATH}/others`, text: t("End all other sessions"), kind: "danger" })}</div>
<p>${t("Your active sessions. If you do not recognise one, end it and change your password.")}</p>
${parts.table(ui, { caption: t("Your sessions"), head, rows, empty: t("You have no sessions.") })}`;
  });
  const sessionsOf = async (visit: Visit) =>
    (await visit.get(`/api/users/${visit.viewer.id}/sessions?count=500&sort=-last_seen_at`)).data;
  const end = (visit: Visit, id: string | number) =>
    visit.send("DELETE", `/api/users/${visit.viewer.id}/sessions/${encodeURIComponent(String(id))}`);

  web.screen(app.site, PATH, "user", async (visit) => ({
    title: visit.ui.t("Sessions"),
    body: view({ sessions: await sessionsOf(visit) }, visit.ui),
  }));
  web.form(app.site, `${PATH}/:id/delete`, "user", async (visit) => {
    const sent = await end(visit, visit.params.id ?? "");
    return visit.goTo(PATH, sent.ok ? visit.ui.t("The session is ended.") : sent.message);
  });
  web.form(app.site, `${PATH}/others`, "user", async (visit) => {
    for (const { id, current } of await sessionsOf(visit)) if (!current) await end(visit, id);
    return visit.goTo(PATH, visit.ui.t("You are signed out everywhere else."));
  });
}

function browserOf(agent: string, ui: Ui): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(agent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1];
  if (browser && system) return ui.t(":browser on :system", { browser, system });
  return browser ?? (agent === "" ? ui.t("Unknown") : agent.slice(0, 60));
}
