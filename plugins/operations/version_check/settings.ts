import { t } from "lectern/core";

/** The operator's setting of the update check, which is off by default. */
export const settings = t.Object({
  url: t.String({
    default: "",
    pattern: "^(https?://\\S+)?$",
    env: "UPDATE_CHECK",
    description:
      "URL that is requested once a day for the newest version, which the screen of the system shows; it answers JSON with `version`, such as `…/lectern/latest` of a registry of npm. The request says nothing about the instance; empty for never",
  }),
});
