import { t } from "lectern/core";

/** The operator's settings of the scheduled checks. */
export const settings = t.Object({
  hours: t.Integer({
    default: 24,
    minimum: 0,
    maximum: 8_760,
    env: "DOCTOR_HOURS",
    description: "Hours between the checks that a server runs by itself, without repairs; 0 for none",
  }),
});
