/** Descriptions of the endpoints of webhooks. */
export const about = {
  list: "Lists the webhooks with the times of their last call and last error.",
  create:
    "Creates a webhook: an address that is called when something happens. events are types of the audit log, or all; unknown " +
    "ones are dropped.\n" +
    "The answer contains the secret that calls are signed with, this once; it is generated unless it is sent.\n" +
    "Calls carry the headers of Standard Webhooks, whose libraries accept a generated secret as it is. The key of a secret " +
    "of your own that does not begin with whsec_ is the text itself; these libraries call that format raw.",
  read: "Shows a webhook.",
  update: "Updates a webhook; fields that are not sent are unchanged. Switching it on resets its failures.",
  delete: "Deletes a webhook with the log of its calls.",
  deliveries: "Lists the calls of a webhook with their events, states and response statuses.",
  delivery: "Shows a call with its request, without signatures, and the beginning of the response.",
  resend: "Repeats a call, whatever its state. Refused with 409 while the webhook is switched off.",
  events: "Lists the types of events that webhooks can subscribe to.",
} as const;

const webhook = {
  id: 3,
  name: "Chat",
  endpoint: "https://chat.example.com/hooks/1",
  events: ["page_create", "page_update"],
  active: true,
  timeout: 3,
  failures: 0,
  failing_since: null,
  last_called_at: null,
  last_errored_at: null,
  last_error: "",
  created_at: "2026-01-08T09:00:00.000000Z",
  updated_at: "2026-01-08T09:00:00.000000Z",
};

/** Sample requests and responses. */
export const examples = {
  create: {
    request: { name: webhook.name, endpoint: webhook.endpoint, events: webhook.events },
    response: { ...webhook, secret: "whsec_…" },
  },
  read: { response: webhook },
  update: { request: { active: false }, response: { ...webhook, active: false } },
} as const;
