import { BootError, definePlugin, t } from "lectern/core";
import { createSmtpTransport } from "./transport.ts";

/** Sends mail by SMTP (contract `mail`). It stores nothing: a message that must not be lost is sent from a job. */
export default definePlugin({
  name: "mail",
  provides: ["mail"],
  settings: t.Object({
    from: t.String({ default: "", env: "MAIL_FROM", description: "Sender of mail, such as wiki@example.com" }),
    host: t.String({ default: "", env: "MAIL_HOST", description: "SMTP server; without one no mail is sent" }),
    port: t.Integer({ default: 587, minimum: 1, maximum: 65535, env: "MAIL_PORT", description: "Port of that server" }),
    username: t.String({
      default: "",
      env: "MAIL_USERNAME",
      description: "User name for that server, if it requires one",
    }),
    password: t.String({ default: "", env: "MAIL_PASSWORD", description: "Password for that server" }),
    encryption: t.Union([t.Literal(""), t.Literal("null"), t.Literal("tls"), t.Literal("ssl")], {
      default: "",
      env: "MAIL_ENCRYPTION",
      description:
        "tls requires STARTTLS, ssl starts with TLS (as does port 465); otherwise STARTTLS if the server offers it",
    }),
  }),
  setup({ onStop, provide, settings }) {
    if (settings.host === "") {
      const send = () => Promise.reject(new Error("Cannot send mail: MAIL_HOST names no server"));
      provide("mail", { isConfigured: false, send });
      return;
    }
    if (!settings.from.includes("@"))
      throw new BootError(
        `Cannot send mail from "${settings.from}": MAIL_HOST is set, so MAIL_FROM must be an address`,
      );
    const transport = createSmtpTransport(settings);
    onStop(() => transport.close());
    provide("mail", { isConfigured: true, send: (message) => transport.deliver(message) });
  },
});
