/** What the documentation says about the endpoints of webhooks. */
export const about = {
  list: "Lists the webhooks, with when each was last called and what went wrong.",
  create:
    "Creates a webhook: an address that is told of what happens. events are types of the audit log, or all; others are left out.\n" +
    "The answer holds the secret that calls are signed with, this once; it is made up unless it is sent.\n" +
    "Calls carry the headers of Standard Webhooks. Libraries read the secret as it is; one of your own that does not " +
    "begin with whsec_ is the key itself, which they call raw.",
  read: "Reads a webhook.",
  update: "Changes a webhook; fields that are not sent stay. Switching it on forgets its failures.",
  delete: "Deletes a webhook and what is known of its calls.",
  deliveries: "Lists the calls of a webhook: what they were about, whether they were taken, and the last answer.",
  delivery: "Reads a call with what was sent, without its signatures, and the beginning of the answer.",
  resend: "Makes a call again, whatever came of it before. Refused with 409 while its webhook is switched off.",
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

/** Samples for the documentation. */
export const examples = {
  create: {
    request: { name: webhook.name, endpoint: webhook.endpoint, events: webhook.events },
    response: { ...webhook, secret: "whsec_…" },
  },
  read: { response: webhook },
  update: { request: { active: false }, response: { ...webhook, active: false } },
} as const;
