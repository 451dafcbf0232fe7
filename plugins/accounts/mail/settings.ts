/**
 * The settings of mail: variables, and the same as settings of the instance, which administrators choose where the variable is not set. The server of
 * messages is one of the network of this server as well, so what it answers to a test is shown to administrators alone.
 */
import type { InstanceSetting } from "lectern/contracts";
import { type Static, t } from "lectern/core";

/** The settings of the operator. */
export const settings = t.Object({
  from: t.Optional(t.String({ env: "MAIL_FROM", description: "Sender of mail, such as wiki@example.com" })),
  host: t.Optional(
    t.String({
      env: "MAIL_HOST",
      description:
        "SMTP server; without one, here or chosen by an administrator, invitations are written to the log and shown by `user invite`",
    }),
  ),
  port: t.Optional(
    t.Integer({
      minimum: 1,
      maximum: 65535,
      env: "MAIL_PORT",
      unit: "port",
      description: "Port of that server; by default 587",
    }),
  ),
  username: t.Optional(
    t.String({ env: "MAIL_USERNAME", description: "User name for that server, if it requires one" }),
  ),
  password: t.Optional(t.String({ env: "MAIL_PASSWORD", description: "Password for that server" })),
  encryption: t.Optional(
    t.Union([t.Literal("null"), t.Literal("tls"), t.Literal("ssl")], {
      env: "MAIL_ENCRYPTION",
      description:
        "tls requires STARTTLS, ssl starts with TLS (as does port 465); otherwise STARTTLS if the server offers it",
    }),
  ),
  transport: t.String({
    default: "",
    env: "MAIL_TRANSPORT",
    description: "What delivers mail: smtp, or the transport of a plugin by its name; needed where there are several",
  }),
  timeout: t.Integer({
    default: 30,
    minimum: 1,
    maximum: 50,
    constant: true,
    description: "Seconds that the transport of a plugin may take for a message: less than the lease of a job",
  }),
});

const CONTROL = /\p{Cc}/u;
const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9.:-]*[A-Za-z0-9])?$/;
const DEFAULT_PORT = 587;

/** The settings of the instance. `hasOther` says whether a plugin delivers mail in place of a server. */
export function mailSettings(given: Static<typeof settings>, hasOther: () => boolean): InstanceSetting[] {
  const of = { group: "mail" } as const;
  return [
    {
      ...of,
      ...{ name: "mail_from", label: "Sender", control: "text", default: "" },
      help: "Such as wiki@example.com, or Wiki <wiki@example.com>.",
      rules: { mail_from: ["string", "max:250"] },
      ...{ variable: "MAIL_FROM", given: given.from },
      check: (value) =>
        /[^\s<]@[^\s>]/.test(String(value)) && !CONTROL.test(String(value))
          ? undefined
          : { text: "This is no address." },
    },
    {
      ...of,
      ...{ name: "mail_host", label: "Mail server (SMTP)", control: "text", default: "" },
      help: "Without one, invitations are written to the log of the server.",
      rules: { mail_host: ["string", "max:250"] },
      ...{ variable: "MAIL_HOST", given: given.host },
      check(value) {
        if (hasOther()) return { text: "A plugin delivers the mail of this instance." };
        return HOST.test(String(value))
          ? undefined
          : { text: "This is no name of a server, such as mail.example.com." };
      },
    },
    {
      ...of,
      ...{ name: "mail_port", label: "Port", control: "number", default: DEFAULT_PORT },
      rules: { mail_port: ["integer", "min:1", "max:65535"] },
      ...{ variable: "MAIL_PORT", given: given.port },
    },
    {
      ...of,
      ...{ name: "mail_encryption", label: "Encryption", control: "choice", default: "" },
      options: (say) => [
        ["", say("If the server offers it (STARTTLS)")],
        ["tls", say("Required (STARTTLS)")],
        ["ssl", say("From the beginning (TLS)")],
      ],
      rules: { mail_encryption: ["string", "in:,tls,ssl"] },
      // "null" is the original's word for none.
      ...{ variable: "MAIL_ENCRYPTION", given: given.encryption === "null" ? "" : given.encryption },
    },
    {
      ...of,
      ...{ name: "mail_username", label: "User name", control: "text", default: "" },
      help: "If the server requires one.",
      rules: { mail_username: ["string", "max:250"] },
      ...{ variable: "MAIL_USERNAME", given: given.username },
    },
    {
      ...of,
      ...{ name: "mail_password", label: "Password", control: "secret", default: "" },
      rules: { mail_password: ["string", "max:1000"] },
      ...{ variable: "MAIL_PASSWORD", given: given.password },
    },
  ];
}
