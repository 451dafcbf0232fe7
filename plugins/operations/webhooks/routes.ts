/**
 * The routes of webhooks, an addition of Lectern: BookStack has screens for them and no API. They require settings-manage.
 * Only the answer that creates a webhook contains its secret.
 */
import { endpoint, type InputObject, noContent } from "lectern/core";
import { changeWebhook, insertWebhook, removeWebhook } from "./changes.ts";
import {
  bodyFields,
  createRules,
  updateRules,
  type Webhook,
  type WebhooksContext,
  webhookAnswers,
} from "./contract.ts";
import { about, examples } from "./docs.ts";
import { presentWebhook } from "./presenter.ts";
import { readWebhook, WEBHOOKS } from "./queries.ts";

/** Mounts the routes. */
export function mountWebhooks(context: WebhooksContext): void {
  const { app, db, isKnownType, list, perform, validate } = context;
  app.get("/webhooks", ({ viewer, nestedQuery }) => list<Webhook>(WEBHOOKS, viewer, nestedQuery), {
    ...described("list"),
    response: webhookAnswers.list,
  });
  app.post(
    "/webhooks",
    async ({ viewer, input }) => {
      const { secret: sent, ...draft } = await validate(createRules, withBoolean(input), viewer);
      let secret = "";
      const webhook = await perform("webhook_create", viewer, draft, async (final, tx) => {
        const row = await insertWebhook(sent === undefined ? final : { ...final, secret: sent }, tx, isKnownType);
        secret = row.secret;
        return presentWebhook(row);
      });
      return { ...webhook, secret };
    },
    { ...described("create", { rules: createRules, fields: bodyFields }), response: webhookAnswers.create },
  );
  app.get("/webhooks/:id", async ({ params }) => readWebhook(db, params.id), {
    ...described("read"),
    response: webhookAnswers.read,
  });
  app.put(
    "/webhooks/:id",
    async ({ viewer, params, input }) => {
      const row = await readWebhook(db, params.id);
      const { secret, ...draft } = await validate(updateRules, withBoolean(input), viewer);
      return perform("webhook_update", viewer, { row, draft }, async (final, tx) => {
        const change = secret === undefined ? final.draft : { ...final.draft, secret };
        return presentWebhook(await changeWebhook(final.row.id, change, tx, isKnownType));
      });
    },
    { ...described("update", { rules: updateRules, fields: bodyFields }), response: webhookAnswers.update },
  );
  app.delete(
    "/webhooks/:id",
    async ({ viewer, params, set }) => {
      await perform("webhook_delete", viewer, await readWebhook(db, params.id), async (final, tx) => {
        await removeWebhook(final, tx);
        return final;
      });
      set.status = 204;
    },
    { ...described("delete"), response: noContent },
  );
}

function described(action: "list" | "create" | "read" | "update" | "delete", more: object = {}) {
  const example = action in examples && { example: examples[action as keyof typeof examples] };
  return {
    permit: "settings-manage",
    ...endpoint("webhooks", action, { about: about[action], ...example, ...more }),
  } as const;
}

/** `active` as a boolean: BookStack accepts the values of its own form, "true" and "false". */
function withBoolean({ active, ...input }: InputObject): InputObject {
  if (active === undefined) return input;
  return { ...input, active: active === "true" ? true : active === "false" ? false : active };
}
