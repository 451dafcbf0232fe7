import { t } from "lectern/core";

/** The settings of sessions. */
export const settings = t.Object({
  cookie: t.String({
    default: "bookstack_session",
    pattern: "^[A-Za-z0-9_-]+$",
    env: "SESSION_COOKIE_NAME",
    description: "Name of the session cookie",
  }),
  lifetime: t.Integer({
    default: 120,
    minimum: 1,
    maximum: 525_600,
    env: "SESSION_LIFETIME",
    unit: "minutes",
    description: "How long a session lasts without a request",
  }),
  absoluteLifetime: t.Optional(
    t.Integer({
      minimum: 0,
      maximum: 87_600,
      env: "SESSION_ABSOLUTE_LIFETIME",
      unit: "hours",
      description:
        "How long a session lasts whatever its activity, so that a stolen cookie is of no use for ever; 0 for no limit. The default is what NIST SP 800-63B allows for sign-ins with a password, 720, or SESSION_LIFETIME if that is longer",
    }),
  ),
  attempts: t.Integer({
    default: 10,
    minimum: 1,
    env: "SIGN_IN_ATTEMPTS",
    unit: "attempts",
    description: "Password attempts within five minutes for one account from one address",
  }),
  attemptsByAccount: t.Integer({
    default: 100,
    minimum: 1,
    env: "SIGN_IN_ATTEMPTS_BY_ACCOUNT",
    unit: "attempts",
    description: "Password attempts within five minutes for one account from any address",
  }),
  attemptsByAddress: t.Integer({
    default: 60,
    minimum: 1,
    env: "SIGN_IN_ATTEMPTS_BY_ADDRESS",
    unit: "attempts",
    description: "Password attempts within five minutes from one address for any account",
  }),
  stepAttempts: t.Integer({
    default: 10,
    minimum: 1,
    env: "SIGN_IN_STEP_ATTEMPTS",
    unit: "attempts",
    description: "Attempts within five minutes at the further steps of a user's sign-ins, which plugins add",
  }),
  stepLifetime: t.Integer({
    default: 10,
    minimum: 1,
    maximum: 1440,
    env: "SIGN_IN_STEP_LIFETIME",
    unit: "minutes",
    description: "After how long a sign-in whose further step is not completed expires",
  }),
  isPublic: t.Optional(
    t.Boolean({
      env: "APP_PUBLIC",
      description:
        "Lets visitors read, and use the API with an anonymous cookie, as the role Public permits; by default what administrators choose, at first false",
    }),
  ),
});
