import { BootError, t } from "lectern/core";

/** The settings of tokens. */
export const settings = t.Object({
  adminToken: t.String({
    default: "",
    pattern: "^([^:\\s]+:[^:\\s]+)?$",
    env: "ADMIN_TOKEN",
    description: "id:secret of a token for the first administrator; read at the first boot only",
  }),
  timeZone: t.String({
    default: "UTC",
    env: "APP_TIMEZONE",
    description: "Time zone in which the day begins on which a token expires",
  }),
  environment: t.String({
    default: "production",
    env: "APP_ENV",
    shared: true,
    description: "production, or demo, which closes the endpoints of users and of their tokens",
  }),
});

/** The canonical name of a time zone. Throws BootError for an unknown one. */
export function zoneOf(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch (cause) {
    throw new BootError(`Cannot read APP_TIMEZONE "${timeZone}": wanted a zone such as "UTC" or "Europe/Berlin"`, {
      cause,
    });
  }
}
