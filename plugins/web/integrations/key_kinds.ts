import { INTEGRATIONS } from "./contract.ts";

/** The two kinds of keys, which share their screens. */
export const KINDS = {
  dashboard: {
    type: "dashboard",
    path: `${INTEGRATIONS}/dashboard`,
    intro:
      "Dashboards such as Homepage, Homarr or Grafana read the statistics of your hosts with these keys. The keys give no other access.",
    empty: "There are no keys yet. Create one per dashboard, so that each can be disabled separately.",
    create: "New dashboard key",
    stops: "Widgets that use the key “:name” stop working. This cannot be undone.",
  },
  enrolment: {
    type: "enrolment",
    path: `${INTEGRATIONS}/enrolment`,
    intro: "Scripts enrol hosts with these keys, up to a daily limit. The keys give no other access.",
    empty: "There are no keys yet. Create one to enrol machines by script.",
    create: "New enrolment key",
    stops:
      "Scripts that use the key “:name” can no longer enrol hosts. Enrolled hosts are kept. This cannot be undone.",
  },
} as const;

/** A kind of keys. */
export type KeyKind = (typeof KINDS)[keyof typeof KINDS];
