import { t } from "lectern/core";

/** The BookStack version whose API is implemented; clients decide by it which endpoints they can use. */
const API_VERSION = "v26.05+lectern";

/** The settings of the instance. */
export const settings = t.Object({
  appName: t.Optional(
    t.String({
      minLength: 1,
      env: "APP_NAME",
      description: "Name of the instance; by default the one that administrators choose, at first Lectern",
    }),
  ),
  appLogo: t.Optional(
    t.String({
      env: "APP_LOGO",
      description:
        "URL of an image in place of the shipped logo `/logo.png`; none for no logo; by default what administrators choose",
    }),
  ),
  version: t.String({
    default: API_VERSION,
    pattern: "^v",
    env: "APP_VERSION",
    description: "Version shown to clients, which decide by it which endpoints they can use",
  }),
});
