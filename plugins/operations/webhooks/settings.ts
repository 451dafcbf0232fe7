import { t } from "lectern/core";

/** The settings of webhooks. */
export const settings = t.Object({
  pauses: t.String({
    default: "60,600,3600",
    pattern: "^(\\d{1,6}(,\\d{1,6}){0,19})?$",
    constant: true,
    description:
      "Seconds before each further attempt of a failed call, separated by commas: over an hour, as a receiver is updated",
  }),
  patience: t.Integer({
    default: 10,
    minimum: 1,
    constant: true,
    description: "Consecutive calls given up before a webhook is switched off, so that one lost call switches off none",
  }),
  patienceMinutes: t.Integer({
    default: 60,
    minimum: 0,
    constant: true,
    description:
      "Minutes without a delivered call before a webhook is switched off, so that a short absence with many calls switches off none",
  }),
  redirects: t.Integer({
    default: 5,
    minimum: 0,
    maximum: 20,
    constant: true,
    description: "Redirects of a call that are followed; receivers that move have one or two",
  }),
});
