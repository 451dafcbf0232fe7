import { fileLimit, t } from "lectern/core";

/** The settings of users. */
export const settings = t.Object({
  fileLimit,
  adminEmail: t.String({
    default: "admin@example.com",
    pattern: "^[^@\\s]+@[^@\\s]+$",
    env: "ADMIN_EMAIL",
    description: "E-mail address of the first administrator, read at the first start only",
  }),
  adminPassword: t.String({
    default: "",
    env: "ADMIN_PASSWORD",
    description:
      "Password of the first administrator; if empty, it is generated and printed once when the server first listens",
  }),
  passwordCheck: t.Union([t.Literal("none"), t.Literal("screens"), t.Literal("all")], {
    default: "screens",
    env: "PASSWORD_CHECK",
    description:
      "Where the 10,000 most used passwords are refused: screens (where users choose their own: screens, invitations, resets, the first start), all (by API and commands too), none",
  }),
  deletedItems: t.Integer({
    default: 2_000,
    minimum: 0,
    constant: true,
    description:
      "Items of a deleted user that get their new owner within the request, in a second; more are given to the new owner by a job",
  }),
  confirmation: t.Optional(
    t.Boolean({
      env: "REGISTRATION_CONFIRMATION",
      description:
        "Refuses accounts whose e-mail address is not confirmed; by default what administrators choose, at first false",
    }),
  ),
  restrict: t.Optional(
    t.String({
      env: "REGISTRATION_RESTRICT",
      description:
        "Domains that may register, separated by commas; if any, addresses must be confirmed; by default those that administrators choose",
    }),
  ),
  environment: t.String({
    default: "production",
    env: "APP_ENV",
    shared: true,
    description: "production, or demo, which closes the endpoints of users and of their tokens",
  }),
});
