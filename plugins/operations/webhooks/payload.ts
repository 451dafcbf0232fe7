import type { Payload, WebhookRow } from "./contract.ts";

type WebhookName = Pick<WebhookRow, "id" | "name">;

/** A payload with the id and name of a webhook, if it has keys for them. */
export function withWebhook(payload: Payload, { id, name }: WebhookName): Payload {
  return {
    ...payload,
    ...("webhook_id" in payload && { webhook_id: id }),
    ...("webhook_name" in payload && { webhook_name: name }),
  };
}

/** The body of a call to a webhook. */
export function requestBody(hook: WebhookName, payload: Payload): string {
  return JSON.stringify(withWebhook(payload, hook));
}
