import { BootError, definePlugin, t } from "lectern/core";
import { transportTo } from "./transport.ts";

/** Sends mail by SMTP for plugins that ask (contract `mail`); it keeps nothing, who must not lose a message uses a job. */
export default definePlugin({
  name: "mail",
  provides: ["mail"],
  settings: t.Object({
    from: t.String({ default: "", env: "MAIL_FROM", description: "Sender of mail, such as wiki@example.com" }),
    host: t.String({ default: "", env: "MAIL_HOST", description: "SMTP server; without one no mail is sent" }),
    port: t.Integer({ default: 587, minimum: 1, maximum: 65535, env: "MAIL_PORT", description: "Port of that server" }),
    username: t.String({ default: "", env: "MAIL_USERNAME", description: "Name to sign in there with, if it asks" }),
    password: t.String({ default: "", env: "MAIL_PASSWORD", description: "Password to sign in there with" }),
    encryption: t.Union([t.Literal(""), t.Literal("null"), t.Literal("tls"), t.Literal("ssl")], {
      default: "",
      env: "MAIL_ENCRYPTION",
      description: "tls insists on STARTTLS, ssl begins with TLS (as does port 465); else STARTTLS where offered",
    }),
  }),
  setup({ onStop, provide, settings }) {
    if (settings.host === "") {
      const send = () => Promise.reject(new Error("Cannot send mail: MAIL_HOST names no server"));
      provide("mail", { isConfigured: false, send });
      return;
    }
    if (!settings.from.includes("@"))
      throw new BootError(`Cannot send mail from "${settings.from}": MAIL_HOST is set, so MAIL_FROM wants an address`);
    const transport = transportTo(settings);
    onStop(() => transport.close());
    provide("mail", { isConfigured: true, send: (message) => transport.deliver(message) });
  },
});
