import { t } from "lectern/core";
import { MAX_DAYS } from "./prune.ts";

/** The settings of the audit log. */
export const settings = t.Object({
  ipPrecision: t.Integer({
    default: 4,
    minimum: 0,
    maximum: 4,
    env: "IP_ADDRESS_PRECISION",
    unit: "parts",
    description: "How many of the four parts of an address the audit log stores; 0 stores none",
  }),
  retention: t.Integer({
    default: 0,
    minimum: 0,
    maximum: MAX_DAYS,
    env: "AUDIT_LOG_DAYS",
    unit: "days",
    description: "How long rows of the audit log are kept; 0 keeps them forever",
  }),
  environment: t.String({
    default: "production",
    env: "APP_ENV",
    shared: true,
    description: "production, or demo, which closes the endpoints of users and of their tokens",
  }),
});
