import { ApiError, endpoint, rules, sql } from "lectern/core";
import { prepared, refs } from "lectern/db";
import {
  type Delivery,
  deliveryListingSchema,
  deliverySchema,
  resentDeliverySchema,
  type WebhooksContext,
} from "./contract.ts";
import { about } from "./docs.ts";
import { makeDue } from "./hand_out.ts";
import { presentDelivery } from "./presenter.ts";
import { DELIVERIES, readDelivery, readWebhook } from "./queries.ts";

const PERMIT = "settings-manage";

const resend = prepared("webhooks.resend", (db, p: { id: number }) =>
  db
    .updateTable("webhook_deliveries")
    .set(({ ref }) => ({
      state: sql.lit("waiting"),
      attempts: sql.lit(0),
      leased_until: sql<string | null>`case when ${ref("state")} = 'waiting' then ${ref("leased_until")} end`,
    }))
    .where("id", "=", p.id),
);

/** Mounts the routes of deliveries: calls with their requests and responses, which can be repeated. */
export function mountDeliveries({ app, db, handOutSoon, list }: WebhooksContext): void {
  app.get(
    "/webhooks/:id/deliveries",
    async ({ viewer, params, nestedQuery }) => {
      const { id } = await readWebhook(db, params.id);
      return list<Delivery>(
        { ...DELIVERIES, where: sql<boolean>`${refs("webhook_deliveries.webhook_id")} = ${id}::integer` },
        viewer,
        nestedQuery,
      );
    },
    {
      permit: PERMIT,
      response: deliveryListingSchema,
      ...endpoint("webhooks", "deliveries", { about: about.deliveries }),
    },
  );
  app.get(
    "/webhooks/:id/deliveries/:deliveryId",
    async ({ params }) => presentDelivery(await readDelivery(db, params)),
    { permit: PERMIT, response: deliverySchema, ...endpoint("webhooks", "delivery", { about: about.delivery }) },
  );
  app.post(
    "/webhooks/:id/deliveries/:deliveryId/resend",
    async ({ params, set }) => {
      const { id, hook } = await readDelivery(db, params);
      if (!hook.active) throw new ApiError(409, "The webhook is switched off; switch it on first.");
      await resend.execute(db, { id });
      await makeDue(db, { webhookId: hook.id, id });
      handOutSoon();
      set.status = 202;
      return { id, state: "waiting" };
    },
    {
      permit: PERMIT,
      response: { 202: resentDeliverySchema },
      ...endpoint("webhooks", "resend", { about: about.resend, rules: rules({}), errors: [409] }),
    },
  );
}
