/** Webhooks: list, form, delete, and their calls. Only the answer to the form that creates a webhook shows its secret. */
import type { Screen, SubmitResult, Visit } from "lectern/contracts";
import { idOf } from "../_paths/id_of.ts";
import type { Webhook } from "./api_types.ts";
import { type IntegrationsContext, PERMIT } from "./contract.ts";
import { mountDeliveries } from "./deliveries.ts";
import { type HookForm, hookFormOf, hookFormView, hookInputOf, initialHookForm } from "./webhook_form.ts";
import { hookCreatedView, hookListView, WEBHOOKS } from "./webhook_list.ts";

const API = "/api/webhooks";
const ONE = `${WEBHOOKS}/:id`;

/** Mounts the screens. */
export function mountWebhooks(context: IntegrationsContext): void {
  const { app, web } = context;
  const list = hookListView(web);
  web.screen(app.site, WEBHOOKS, PERMIT, async (visit) => {
    const { ui, query } = visit;
    const { page, size, query: paging } = web.paged(query);
    const hooks = await visit.get(`${API}?sort=+name&${paging}`);
    return { title: ui.t("Webhooks"), body: list({ hooks, page, size, query }, ui) };
  });
  mountForms(context);
  web.screen(app.site, `${ONE}/delete`, PERMIT, async (visit) => {
    const { ui } = visit;
    const { id, name } = await hookOf(visit);
    const body = web.parts.confirm(ui, {
      question: ui.t("Delete the webhook “:name”?", { name }),
      detail: ui.t("Its address is no longer called, and its call history is deleted. This cannot be undone."),
      action: `${WEBHOOKS}/${id}/delete`,
      submit: ui.t("Delete the webhook"),
      back: `${WEBHOOKS}/${id}`,
    });
    return { title: ui.t("Delete the webhook"), body };
  });
  web.form(app.site, `${ONE}/delete`, PERMIT, async (visit) => {
    const { name } = await hookOf(visit);
    const sent = await visit.send("DELETE", pathOf(visit));
    return visit.goTo(WEBHOOKS, sent.ok ? visit.ui.t("The webhook “:name” is deleted.", { name }) : sent.message);
  });
  mountDeliveries(context);
}

function mountForms({ app, web }: IntegrationsContext): void {
  const form = hookFormView(web);
  const created = hookCreatedView(web);
  const shown = async (
    visit: Visit,
    typed: HookForm,
    hook?: Webhook,
    sent?: SubmitResult<unknown>,
  ): Promise<Screen> => {
    const { ui } = visit;
    const title = hook ? ui.t("Webhook “:name”", { name: hook.name }) : ui.t("New webhook");
    const { events } = await visit.get(`${API}/events`);
    const crumbs = [{ text: ui.t("Webhooks"), path: WEBHOOKS }, { text: hook?.name ?? title }];
    const body = form({ title, hook, events, typed, sent }, ui);
    return { title, crumbs, body, status: sent && !sent.ok ? sent.status : 200 };
  };
  web.screen(app.site, `${WEBHOOKS}/create`, PERMIT, (visit) => shown(visit, initialHookForm()));
  web.form(app.site, `${WEBHOOKS}/create`, PERMIT, async (visit) => {
    const typed = hookFormOf(visit);
    const sent = await visit.send("POST", API, hookInputOf(typed));
    if (!sent.ok) return shown(visit, typed, undefined, sent);
    const title = visit.ui.t("Your new webhook");
    return { title, body: created({ title, hook: sent.body }, visit.ui), status: 201 };
  });
  web.screen(app.site, ONE, PERMIT, async (visit) => {
    const hook = await hookOf(visit);
    return shown(visit, initialHookForm(hook), hook);
  });
  web.form(app.site, ONE, PERMIT, async (visit) => {
    const hook = await hookOf(visit);
    const typed = hookFormOf(visit);
    const sent = await visit.send("PUT", pathOf(visit), hookInputOf(typed));
    if (!sent.ok) return shown(visit, typed, hook, sent);
    return visit.goTo(WEBHOOKS, visit.ui.t("The webhook is saved."));
  });
}

function pathOf(visit: Visit) {
  return `${API}/${idOf(visit)}` as const;
}

function hookOf(visit: Visit): Promise<Webhook> {
  return visit.get(pathOf(visit));
}
