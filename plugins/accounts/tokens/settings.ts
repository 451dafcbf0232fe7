import { BootError, t } from "lectern/core";

/** What an operator may set about tokens. */
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
    description: "Where the day begins on which a token ends",
  }),
  confirmation: t.Boolean({
    default: false,
    env: "REGISTRATION_CONFIRMATION",
    shared: true,
    description: "Refuses accounts whose e-mail address is not confirmed",
  }),
  restrict: t.String({
    default: "",
    env: "REGISTRATION_RESTRICT",
    shared: true,
    description: "Domains that may register; if any, addresses must be confirmed",
  }),
  environment: t.String({
    default: "production",
    env: "APP_ENV",
    shared: true,
    description: "demo keeps everybody from managing tokens by the API",
  }),
});

/** The zone by which days begin, checked. Throws BootError for one that nobody knows. */
export function zoneOf(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch (cause) {
    throw new BootError(`Cannot read APP_TIMEZONE "${timeZone}": wanted a zone such as "UTC" or "Europe/Berlin"`, {
      cause,
    });
  }
}
