import { INTEGRATIONS } from "./contract.ts";

/** The two kinds of keys, which share their screens. */
export const KINDS = {
  dashboard: {
    type: "dashboard",
    path: `${INTEGRATIONS}/dashboard`,
    intro:
      "Keys with which dashboards such as Homepage, Homarr or Grafana read the numbers of your hosts. They can do nothing else.",
    empty: "There is no key yet. Make one for each dashboard, so that each can be switched off by itself.",
    create: "New dashboard key",
    stops: "Every widget that uses the key “:name” stops showing numbers. This cannot be undone.",
  },
  enrolment: {
    type: "enrolment",
    path: `${INTEGRATIONS}/enrolment`,
    intro: "Keys with which scripts make hosts by themselves, so many a day. They can do nothing else.",
    empty: "There is no key yet. A script that sets up machines needs one to enrol them here.",
    create: "New enrolment key",
    stops:
      "Every script that uses the key “:name” can enrol no more hosts; hosts that are enrolled stay. This cannot be undone.",
  },
} as const;

/** A kind of keys. */
export type KeyKind = (typeof KINDS)[keyof typeof KINDS];
