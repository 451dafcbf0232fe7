/**
 * The routes of webhooks, ours alone: the original has screens for them and no API. Whoever manages settings manages
 * them. The secret is in the answer to the request that makes it and in no other; deliveries show what was sent and what
 * came back, and can be made again.
 */
import {
  ApiError,
  endpoint,
  type InputObject,
  idOf,
  type ListSpec,
  notFound,
  type PluginContext,
  rules,
  sql,
} from "lectern/core";
import { rows } from "lectern/db";
import { about, examples } from "./about.ts";
import { requestBody } from "./call.ts";
import { createRules, type Delivery, type Payload, updateRules, type Webhook, type WebhookRow } from "./contract.ts";
import { changeWebhook, insertWebhook, type Known, removeWebhook, shown } from "./write.ts";

type Context = Pick<
  PluginContext<never, "webhooks" | "webhook_deliveries">,
  "app" | "db" | "list" | "perform" | "validate"
>;

const PERMIT = "settings-manage";
const COLUMNS = sql`webhooks.id, webhooks.name, webhooks.endpoint, webhooks.events, webhooks.active, webhooks.timeout,
  webhooks.failures, webhooks.failing_since,
  webhooks.last_called_at, webhooks.last_errored_at, webhooks.last_error, webhooks.created_at,
  webhooks.updated_at`;
const LISTING: ListSpec = {
  table: "webhooks",
  fields: {
    id: "integer",
    name: "text",
    endpoint: "code",
    active: "boolean",
    timeout: "integer",
    failures: "integer",
    last_called_at: { type: "timestamp", nullable: true },
    last_errored_at: { type: "timestamp", nullable: true },
    created_at: "timestamp",
    updated_at: "timestamp",
  },
  columns: COLUMNS,
};
const DELIVERIES: ListSpec = {
  table: "webhook_deliveries",
  fields: {
    id: "integer",
    type: "code",
    state: "code",
    attempts: "integer",
    status: { type: "integer", nullable: true },
    created_at: "timestamp",
    sent_at: { type: "timestamp", nullable: true },
  },
  columns: sql`webhook_deliveries.id, webhook_deliveries.type, webhook_deliveries.state, webhook_deliveries.attempts,
    webhook_deliveries.status, webhook_deliveries.error, webhook_deliveries.duration_ms, webhook_deliveries.next_at,
    webhook_deliveries.sent_at, webhook_deliveries.created_at`,
};

/** What the routes need beside the context. */
interface Ways {
  readonly known: Known;
  /** Is told where a call is to be made. */
  readonly wake: () => void;
}

/** Mounts the routes. */
export function mountWebhooks(context: Context, { known, wake }: Ways): void {
  mountHooks(context, known);
  mountDeliveries(context, wake);
}

/** The original takes the words of its own form for the switch. */
function worded({ active, ...input }: InputObject): InputObject {
  if (active === undefined) return input;
  return { ...input, active: active === "true" ? true : active === "false" ? false : active };
}

function mountHooks(context: Context, known: Known): void {
  const { app, list, perform, validate } = context;
  const described = (action: "list" | "create" | "read" | "update" | "delete", more: object = {}) =>
    ({
      permit: PERMIT,
      ...endpoint("webhooks", action, {
        about: about[action],
        ...(action in examples && { example: examples[action as keyof typeof examples] }),
        ...more,
      }),
    }) as const;
  app.get("/webhooks", ({ viewer, asked }) => list<Webhook>(LISTING, viewer, asked), described("list"));
  app.post(
    "/webhooks",
    async ({ viewer, input }) => {
      const draft = await validate(createRules, worded(input), viewer);
      let secret = "";
      const { secret: sent, ...withoutSecret } = draft;
      const webhook = await perform("webhook_create", viewer, withoutSecret, async (final, tx) => {
        const row = await insertWebhook(sent === undefined ? final : { ...final, secret: sent }, tx, known);
        secret = row.secret;
        return shown(row);
      });
      return { ...webhook, secret };
    },
    described("create", { rules: createRules }),
  );
  app.get("/webhooks/:id", async ({ params }) => found(context, params.id), described("read"));
  app.put(
    "/webhooks/:id",
    async ({ viewer, params, input }) => {
      const row = await found(context, params.id);
      const { secret, ...draft } = await validate(updateRules, worded(input), viewer);
      return perform("webhook_update", viewer, { row, draft }, async (final, tx) =>
        shown(
          await changeWebhook(final.row.id, secret === undefined ? final.draft : { ...final.draft, secret }, tx, known),
        ),
      );
    },
    described("update", { rules: updateRules }),
  );
  app.delete(
    "/webhooks/:id",
    async ({ viewer, params, set }) => {
      await perform("webhook_delete", viewer, await found(context, params.id), async (final, tx) => {
        await removeWebhook(final, tx);
        return final;
      });
      set.status = 204;
    },
    described("delete"),
  );
}

function mountDeliveries(context: Context, wake: () => void): void {
  const { app, db, list } = context;
  app.get(
    "/webhooks/:id/deliveries",
    async ({ viewer, params, asked }) => {
      const { id } = await found(context, params.id);
      return list<Delivery>({ ...DELIVERIES, where: sql<boolean>`webhook_id = ${id}::integer` }, viewer, asked);
    },
    { permit: PERMIT, ...endpoint("webhooks", "deliveries", { about: about.deliveries }) },
  );
  app.get(
    "/webhooks/:id/deliveries/:deliveryId",
    async ({ params }) => {
      const {
        hook,
        payload,
        webhook_id: _,
        event_id: __,
        subject: ___,
        leased_until: ____,
        sent,
        ...delivery
      } = await deliveryOf(context, params);
      // A call that was made shows what it was made with, whatever has become of the webhook since.
      const { address, name, headers } = sent ?? { address: hook.endpoint, name: hook.name, headers: null };
      const body: unknown = JSON.parse(requestBody({ id: hook.id, name }, payload));
      return { ...delivery, request: { address, name, headers, body } };
    },
    { permit: PERMIT, ...endpoint("webhooks", "delivery", { about: about.delivery }) },
  );
  app.post(
    "/webhooks/:id/deliveries/:deliveryId/resend",
    async ({ params, set }) => {
      const { id, hook } = await deliveryOf(context, params);
      if (!hook.active) throw new ApiError(409, "The webhook is switched off; switch it on first.");
      await rows(
        db,
        sql`update webhook_deliveries set state = 'waiting', attempts = 0, next_at = now(),
            leased_until = case when state = 'waiting' then leased_until end
          where id = ${id}::bigint`,
      );
      wake();
      set.status = 202;
      return { id, state: "waiting" };
    },
    { permit: PERMIT, ...endpoint("webhooks", "resend", { about: about.resend, rules: rules({}) }) },
  );
}

async function found({ db }: Context, param: string): Promise<Webhook> {
  const [row] = await rows<Webhook>(db, sql`select ${COLUMNS} from webhooks where id = ${idOf(param, "Webhook")}`);
  if (!row) throw notFound("Webhook");
  return row;
}

async function deliveryOf(
  { db }: Context,
  params: { id: string; deliveryId: string },
): Promise<Delivery & { hook: WebhookRow; payload: Payload }> {
  const [row] = await rows<Delivery & { hook: WebhookRow; payload: Payload }>(
    db,
    sql`select webhook_deliveries.*, to_jsonb(webhooks) as hook, webhook_events.payload from webhook_deliveries
      join webhooks on webhooks.id = webhook_deliveries.webhook_id
      join webhook_events on webhook_events.id = webhook_deliveries.event_id
      where webhook_deliveries.id = ${idOf(params.deliveryId, "Delivery")}
        and webhooks.id = ${idOf(params.id, "Webhook")}`,
  );
  if (!row) throw notFound("Delivery");
  return row;
}
