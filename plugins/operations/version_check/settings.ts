import { t } from "lectern/core";

/** The operator's setting of the update check, which is off by default. */
export const settings = t.Object({
  url: t.String({
    default: "",
    pattern: "^(https?://\\S+)?$",
    env: "UPDATE_CHECK",
    description: "URL that is requested once a day for the newest version; empty for never",
  }),
});
