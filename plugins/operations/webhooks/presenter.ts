import type { Delivery, Payload, Webhook, WebhookRow } from "./contract.ts";
import { requestBody } from "./payload.ts";

/** A webhook without its secret. */
export function presentWebhook({ secret: _, ...webhook }: WebhookRow): Webhook {
  return webhook;
}

/** A delivery with its request. If it was attempted, that is the request as sent, even if the webhook changed since. */
export function presentDelivery({ hook, payload, ...row }: Delivery & { hook: WebhookRow; payload: Payload }) {
  const { webhook_id: _, event_id: __, subject: ___, leased_until: ____, sent, ...delivery } = row;
  const { address, name, headers } = sent ?? { address: hook.endpoint, name: hook.name, headers: null };
  const body: unknown = JSON.parse(requestBody({ id: hook.id, name }, payload));
  return { ...delivery, request: { address, name, headers, body } };
}
