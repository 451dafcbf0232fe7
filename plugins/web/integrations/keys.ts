/**
 * Keys of dashboards and of enrolment (dashboard-stats 5.2): list, form, enable, disable, delete, snippets. Only the answer to the form
 * that creates a key shows its secret, which is not stored for another request.
 */
import type { Screen, SubmitResult, Visit } from "lectern/contracts";
import { idOf } from "../_paths/id_of.ts";
import type { Key } from "./api_types.ts";
import { type IntegrationsContext, PERMIT } from "./contract.ts";
import { createdView, setupView, snippetsView } from "./key_created.ts";
import { formOf, initialForm, inputOf, type KeyForm, keyFormView } from "./key_form.ts";
import { type KeyKind, KINDS } from "./key_kinds.ts";
import { keyListView } from "./key_list.ts";
import { usageView } from "./rate_limit_usage.ts";

const API = "/api/v1/dashboard/keys";

/** Mounts the screens of both kinds. */
export function mountKeys(context: IntegrationsContext): void {
  const { baseUrl, web } = context;
  const snippets = snippetsView(web);
  const views = {
    list: keyListView(web),
    form: keyFormView(web),
    created: createdView(web, baseUrl, snippets),
    setup: setupView(web, snippets),
    usage: usageView(web),
  };
  for (const kind of Object.values(KINDS)) mountKind(context, kind, views);
}

interface KeyViews {
  readonly list: ReturnType<typeof keyListView>;
  readonly form: ReturnType<typeof keyFormView>;
  readonly created: ReturnType<typeof createdView>;
  readonly setup: ReturnType<typeof setupView>;
  readonly usage: ReturnType<typeof usageView>;
}

function mountKind(context: IntegrationsContext, kind: KeyKind, views: KeyViews): void {
  const { app, web } = context;
  const { path } = kind;
  const one = `${path}/:id`;
  web.screen(app.site, path, PERMIT, async (visit) => {
    const { ui, query } = visit;
    const { page, size, query: paging } = web.paged(query);
    const keys = await visit.get(`${API}?filter[integration_type]=${kind.type}&sort=-created_at&${paging}`);
    const usage = kind.type === "dashboard" && keys.total > 0 ? await visit.find(USAGE) : undefined;
    const drawnUsage = usage && usage.limit > 0 ? views.usage(usage, ui) : undefined;
    return { title: ui.t("Integrations"), body: views.list({ kind, keys, page, size, query, budget: drawnUsage }, ui) };
  });
  mountCreate(context, kind, views);
  mountEdit(context, kind, views);

  for (const [action, change, notice] of [
    ["disable", { is_active: false }, "The key “:name” is disabled."],
    ["enable", { is_active: true }, "The key “:name” is enabled."],
  ] as const)
    web.form(app.site, `${one}/${action}`, PERMIT, async (visit) => {
      const { token_name: name } = await keyOf(visit, kind);
      const sent = await visit.send("PATCH", pathOf(visit), change);
      return visit.goTo(path, sent.ok ? visit.ui.t(notice, { name }) : sent.message);
    });
  web.screen(app.site, `${one}/delete`, PERMIT, async (visit) => {
    const { ui } = visit;
    const { token_name: name } = await keyOf(visit, kind);
    const body = web.parts.confirm(ui, {
      question: ui.t("Delete the key “:name”?", { name }),
      detail: ui.t(kind.stops, { name }),
      action: `${path}/${visit.params.id}/delete`,
      submit: ui.t("Delete the key"),
      back: path,
    });
    return { title: ui.t("Delete the key"), body };
  });
  web.form(app.site, `${one}/delete`, PERMIT, async (visit) => {
    const { token_name: name } = await keyOf(visit, kind);
    const sent = await visit.send("DELETE", pathOf(visit));
    return visit.goTo(path, sent.ok ? visit.ui.t("The key “:name” is deleted.", { name }) : sent.message);
  });
}

const USAGE = "/api/v1/dashboard/usage";

function mountCreate({ app, web }: IntegrationsContext, kind: KeyKind, views: KeyViews): void {
  const shown = (visit: Visit, typed: KeyForm, sent?: SubmitResult<unknown>): Screen => ({
    title: visit.ui.t(kind.create),
    body: views.form({ kind, title: visit.ui.t(kind.create), action: `${kind.path}/new`, typed, sent }, visit.ui),
    status: statusOf(sent),
  });
  web.screen(app.site, `${kind.path}/new`, PERMIT, (visit) => shown(visit, initialForm()));
  web.form(app.site, `${kind.path}/new`, PERMIT, async (visit) => {
    const typed = formOf(visit);
    const sent = await visit.send("POST", API, { ...inputOf(typed, kind), integration_type: kind.type });
    if (!sent.ok) return shown(visit, typed, sent);
    const snippets = kind.type === "dashboard" ? await visit.find(`${API}/${sent.body.id}/snippets`) : undefined;
    const body = views.created({ kind, key: sent.body, snippets }, visit.ui);
    return { title: visit.ui.t("Your new key"), body, status: 201 };
  });
}

function mountEdit({ app, web }: IntegrationsContext, kind: KeyKind, views: KeyViews): void {
  const edit = `${kind.path}/:id/edit`;
  const shown = (visit: Visit, key: Key, typed: KeyForm, sent?: SubmitResult<unknown>): Screen => {
    const title = visit.ui.t("Edit the key “:name”", { name: key.token_name });
    const data = { kind, title, action: `${kind.path}/${key.id}/edit`, typed, sent };
    return { title, body: views.form(data, visit.ui), status: statusOf(sent) };
  };
  web.screen(app.site, edit, PERMIT, async (visit) => {
    const key = await keyOf(visit, kind);
    return shown(visit, key, initialForm(key));
  });
  web.form(app.site, edit, PERMIT, async (visit) => {
    const key = await keyOf(visit, kind);
    const typed = formOf(visit);
    const sent = await visit.send("PATCH", pathOf(visit), inputOf(typed, kind));
    return sent.ok ? visit.goTo(kind.path, visit.ui.t("The key is saved.")) : shown(visit, key, typed, sent);
  });
  if (kind.type !== "dashboard") return;
  web.screen(app.site, `${kind.path}/:id/setup`, PERMIT, async (visit) => {
    const key = await keyOf(visit, kind);
    const snippets = await visit.get(`${pathOf(visit)}/snippets`);
    const title = visit.ui.t("Set up a dashboard with “:name”", { name: key.token_name });
    return { title, body: views.setup({ title, key, snippets }, visit.ui) };
  });
}

function statusOf(sent: SubmitResult<unknown> | undefined): number {
  return sent && !sent.ok ? sent.status : 200;
}

function pathOf(visit: Visit) {
  return `${API}/${idOf(visit)}` as const;
}

/** The key of the URL. Throws 404 for a key of the other kind. */
async function keyOf(visit: Visit, kind: KeyKind): Promise<Key> {
  const key = await visit.get(pathOf(visit));
  return key.integration_type === kind.type ? key : visit.get(`${API}/0`);
}
