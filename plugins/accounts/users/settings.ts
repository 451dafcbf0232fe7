import { t } from "lectern/core";

/** What an operator may set about users. */
export const settings = t.Object({
  adminEmail: t.String({
    default: "admin@example.com",
    pattern: "^[^@\\s]+@[^@\\s]+$",
    env: "ADMIN_EMAIL",
    description: "E-mail address of the first administrator",
  }),
  adminPassword: t.String({
    default: "",
    env: "ADMIN_PASSWORD",
    description:
      "Password of the first administrator; random and printed once, when the server first listens, if empty",
  }),
  passwordCheck: t.Union([t.Literal("none"), t.Literal("screens"), t.Literal("all")], {
    default: "screens",
    env: "PASSWORD_CHECK",
    description:
      "Where the 10,000 most used passwords are refused: screens (where people choose them), all (by API and commands too), none",
  }),
  environment: t.String({
    default: "production",
    env: "APP_ENV",
    shared: true,
    description: "demo keeps everybody from managing users",
  }),
});
