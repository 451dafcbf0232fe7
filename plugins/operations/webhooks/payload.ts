import type { TraceHeaders } from "lectern/core";
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

/** The key under which a stored payload has the id of the request that caused it. It is never sent. */
const REQUEST_ID = "lectern:request_id";

/** The key under which a stored payload has the trace of that request, where traces are recorded. It is never sent. */
const TRACE = "lectern:traceparent";

/** What is added to a payload when it is stored: the id of the request, if the event has one, and its trace. */
export function storedOrigin(
  requestId: string | undefined,
  { traceparent }: TraceHeaders,
): Readonly<Record<string, string>> {
  return {
    ...(requestId === undefined ? {} : { [REQUEST_ID]: requestId }),
    ...(traceparent === undefined ? {} : { [TRACE]: traceparent }),
  };
}

/** The trace of a stored payload. */
export function traceOf({ [TRACE]: traceparent }: Payload): TraceHeaders | "none" {
  return typeof traceparent === "string" ? { traceparent } : "none";
}

/** The id of the request in a stored payload. */
export function requestIdOf({ [REQUEST_ID]: id }: Payload): string | undefined {
  return typeof id === "string" ? id : undefined;
}

/** A stored payload as it is sent. */
export function sentPayload({ [REQUEST_ID]: _, [TRACE]: __, ...payload }: Payload): Payload {
  return payload as Payload;
}

/** The body of a call to a webhook. */
export function requestBody(hook: WebhookName, payload: Payload): string {
  return JSON.stringify(withWebhook(sentPayload(payload), hook));
}
