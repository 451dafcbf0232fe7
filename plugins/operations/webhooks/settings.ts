import { t } from "lectern/core";

/** The settings of webhooks. */
export const settings = t.Object({
  pauses: t.String({
    default: "60,600,3600",
    pattern: "^(\\d{1,6}(,\\d{1,6}){0,19})?$",
    env: "WEBHOOK_RETRY_PAUSES",
    description: "Seconds before each further attempt of a failed call, separated by commas",
  }),
  patience: t.Integer({
    default: 10,
    minimum: 1,
    env: "WEBHOOK_PATIENCE",
    description: "Consecutive calls given up before a webhook is switched off",
  }),
  patienceMinutes: t.Integer({
    default: 60,
    minimum: 0,
    env: "WEBHOOK_PATIENCE_MIN",
    description: "Minutes without a delivered call before a webhook is switched off",
  }),
  redirects: t.Integer({
    default: 5,
    minimum: 0,
    maximum: 20,
    env: "WEBHOOK_REDIRECTS",
    description: "Redirects of a call that are followed",
  }),
  keepDays: t.Integer({
    default: 14,
    minimum: 1,
    env: "WEBHOOK_LOG_DAYS",
    description: "Days that calls are kept for inspection",
  }),
});
