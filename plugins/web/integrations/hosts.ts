/**
 * Monitored hosts: list, detail, create, rename, exclude, delete. Only the answer to the form that creates a host shows its key.
 * Excluding a host needs no confirmation, as it can be undone; deleting does. Hosts that scripts enrol are listed as well.
 */
import type { Screen, SubmitResult, Visit, Web } from "lectern/contracts";
import { idOf } from "../_paths/id_of.ts";
import type { Host, HostDetail } from "./api_types.ts";
import { INTEGRATIONS, type IntegrationsContext, PERMIT } from "./contract.ts";
import { fieldErrors, generalError } from "./form_errors.ts";
import { hostCreatedView } from "./host_created.ts";
import { hostView, isExcluded } from "./host_detail.ts";
import { filtersOf, hostListView, searchOf } from "./host_list.ts";

const API = "/api/v1/dashboard/hosts";
const PATH = `${INTEGRATIONS}/hosts`;
const ONE = `${PATH}/:id`;

/** Mounts the screens. */
export function mountHosts(context: IntegrationsContext): void {
  const { app, web } = context;
  const list = hostListView(web);
  web.screen(app.site, PATH, PERMIT, async (visit) => {
    const { ui, query } = visit;
    const filters = filtersOf(query);
    const { page, size, query: paging } = web.paged(query);
    const hosts = await visit.get(`${API}?${searchOf(filters)}&${paging}`);
    return { title: ui.t("Hosts"), body: list({ path: PATH, hosts, filters, page, size, query }, ui) };
  });
  mountCreate(context);
  mountDetail(context);
  mountActions(context);
}

function mountCreate({ app, web, baseUrl }: IntegrationsContext): void {
  const created = hostCreatedView(web);
  const form = nameForm(web, "integrations/host_new");
  const shown = (visit: Visit, name: string, sent?: SubmitResult<unknown>): Screen => {
    const title = visit.ui.t("New host");
    const data = { title, action: `${PATH}/new`, back: PATH, submit: visit.ui.t("Create the host"), name, sent };
    return { title, body: form(data, visit.ui), status: sent && !sent.ok ? sent.status : 200 };
  };
  web.screen(app.site, `${PATH}/new`, PERMIT, (visit) => shown(visit, ""));
  web.form(app.site, `${PATH}/new`, PERMIT, async (visit) => {
    const name = visit.text("friendly_name");
    const sent = await visit.send("POST", API, { friendly_name: name });
    if (!sent.ok) return shown(visit, name, sent);
    const title = visit.ui.t("Your new host");
    return { title, body: created({ title, path: PATH, baseUrl, host: sent.body }, visit.ui), status: 201 };
  });
}

function mountDetail({ app, web }: IntegrationsContext): void {
  const view = hostView(web);
  const form = nameForm(web, "integrations/host_edit");
  const shown = (visit: Visit, host: Host, name: string, sent?: SubmitResult<unknown>): Screen => {
    const title = visit.ui.t("Rename the host “:name”", { name: host.friendly_name });
    const back = `${PATH}/${host.id}`;
    const data = { title, action: `${back}/edit`, back, submit: visit.ui.t("Save"), name, sent };
    return { title, body: form(data, visit.ui), status: sent && !sent.ok ? sent.status : 200 };
  };
  web.screen(app.site, ONE, PERMIT, async (visit) => {
    const host = await hostOf(visit);
    const crumbs = [{ text: visit.ui.t("Hosts"), path: PATH }, { text: host.friendly_name }];
    return { title: host.friendly_name, crumbs, body: view({ path: `${PATH}/${host.id}`, host }, visit.ui) };
  });
  web.screen(app.site, `${ONE}/edit`, PERMIT, async (visit) => {
    const host = await hostOf(visit);
    return shown(visit, host, host.friendly_name);
  });
  web.form(app.site, `${ONE}/edit`, PERMIT, async (visit) => {
    const host = await hostOf(visit);
    const name = visit.text("friendly_name");
    const sent = await visit.send("PATCH", pathOf(visit), { friendly_name: name });
    if (!sent.ok) return shown(visit, host, name, sent);
    return visit.goTo(`${PATH}/${host.id}`, visit.ui.t("The host is saved."));
  });
}

function mountActions({ app, web }: IntegrationsContext): void {
  for (const [action, status, notice] of [
    ["take-out", "inactive", "The host “:name” is excluded from the statistics. Its reports are kept."],
    ["take-in", "active", "The host “:name” is included in the statistics again."],
  ] as const)
    web.form(app.site, `${ONE}/${action}`, PERMIT, async (visit) => {
      const host = await hostOf(visit);
      const sent = await visit.send("PATCH", pathOf(visit), { status });
      const name = host.friendly_name;
      return visit.goTo(`${PATH}/${host.id}`, sent.ok ? visit.ui.t(notice, { name }) : sent.message);
    });
  web.screen(app.site, `${ONE}/delete`, PERMIT, async (visit) => {
    const { ui } = visit;
    const host = await hostOf(visit);
    const name = host.friendly_name;
    const body = web.parts.confirm(ui, {
      question: ui.t("Delete the host “:name”?", { name }),
      detail: isExcluded(host)
        ? ui.t("Its reports are deleted as well, and its agent can no longer report. This cannot be undone.")
        : ui.t(
            "It is removed from the statistics, its reports are deleted, and its agent can no longer report. This cannot be undone.",
          ),
      action: `${PATH}/${host.id}/delete`,
      submit: ui.t("Delete the host"),
      back: `${PATH}/${host.id}`,
    });
    return { title: ui.t("Delete the host"), body };
  });
  web.form(app.site, `${ONE}/delete`, PERMIT, async (visit) => {
    const { friendly_name: name } = await hostOf(visit);
    const sent = await visit.send("DELETE", pathOf(visit));
    return visit.goTo(PATH, sent.ok ? visit.ui.t("The host “:name” is deleted.", { name }) : sent.message);
  });
}

/** Data of the form with a host's name. */
export interface HostNameData {
  readonly title: string;
  readonly action: string;
  readonly back: string;
  readonly submit: string;
  readonly name: string;
  readonly sent: SubmitResult<unknown> | undefined;
}

function nameForm(web: Web, viewName: "integrations/host_new" | "integrations/host_edit") {
  const { parts } = web;
  return web.view(viewName, ({ title, action, back, submit, name, sent }, ui) => {
    const fields = parts.field(ui, {
      name: "friendly_name",
      label: ui.t("Name"),
      value: name,
      required: true,
      maxlength: 255,
      autocomplete: "off",
      errors: fieldErrors(sent, "friendly_name"),
    });
    const error = generalError(sent, ["friendly_name"]);
    return ui.html`<h1>${title}</h1>${parts.form(ui, { action, fields, submit, cancel: back, error })}`;
  });
}

function pathOf(visit: Visit) {
  return `${API}/${idOf(visit)}` as const;
}

function hostOf(visit: Visit): Promise<HostDetail> {
  return visit.get(pathOf(visit));
}
