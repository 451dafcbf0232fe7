/**
 * Mail (contract `mail`): by SMTP, or by the transport of another plugin (slot `mail_transport`). It stores nothing: a message
 * that must not be lost is sent from a job.
 */
import { type MailMessage, MailRejected, type MailTransport, mailSlots, type OutgoingMail } from "lectern/contracts";
import { BootError, chosenProvider, definePlugin, SECOND_MS, t, withinTime } from "lectern/core";

const SMTP = "smtp";

/** Sends mail; see the contract `mail`. */
export default definePlugin({
  name: "mail",
  provides: ["mail"],
  settings: t.Object({
    from: t.String({ default: "", env: "MAIL_FROM", description: "Sender of mail, such as wiki@example.com" }),
    host: t.String({
      default: "",
      env: "MAIL_HOST",
      description: "SMTP server; without one, invitations are written to the log and shown by `user invite`",
    }),
    port: t.Integer({
      default: 587,
      minimum: 1,
      maximum: 65535,
      env: "MAIL_PORT",
      unit: "port",
      description: "Port of that server",
    }),
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
  }),
  slots: mailSlots,
  async setup({ on, onStop, provide, settings, slot }) {
    const { from, host, timeout } = settings;
    const late = `The mail transport took longer than ${timeout} seconds`;
    const smtp = host === "" ? undefined : (await import("./transport.ts")).createSmtpTransport(settings);
    if (smtp) {
      checkSender(from, "MAIL_HOST is set");
      onStop(() => smtp.close());
    }
    const chosen = (): MailTransport | undefined => {
      const own = settings.transport === SMTP && !smtp ? [NO_SERVER] : smtp ? [smtp] : [];
      return chosenProvider([...own, ...slot("mail_transport")], {
        service: "a mail transport",
        variable: "MAIL_TRANSPORT",
        chosen: settings.transport,
      });
    };
    on("app_boot", {
      async inTransaction() {
        const transport = chosen();
        if (transport === NO_SERVER)
          throw new BootError("Cannot send mail: MAIL_TRANSPORT is smtp, but MAIL_HOST is empty");
        if (transport && transport !== smtp) checkSender(from, `the mail transport is "${transport.name}"`);
      },
    });
    provide(
      "mail",
      {
        get isConfigured() {
          return chosen() !== undefined;
        },
        async send(message) {
          const transport = chosen();
          if (!transport) throw new Error("Cannot send mail: MAIL_HOST names no server");
          checkMessage(message);
          const sent = { ...message, from, ...headersOf(message) };
          if (transport === smtp) await transport.send(sent, { signal: new AbortController().signal });
          else await withinTime(timeout * SECOND_MS, (signal) => transport.send(sent, { signal }), late);
        },
      },
      { send: "writes" },
    );
  },
});

/** The place of SMTP where it is chosen and has no server. */
const NO_SERVER: MailTransport = { name: SMTP, send: () => Promise.reject(new Error("Cannot send mail")) };

/** Throws BootError unless the sender is an address. */
function checkSender(from: string, reason: string): void {
  if (!from.includes("@"))
    throw new BootError(`Cannot send mail from "${from}": ${reason}, so MAIL_FROM must be an address`);
}

/** The headers by which mail programs offer to end such messages (RFC 8058), and answer none of them by themselves (RFC 3834). */
function headersOf({ unsubscribe }: MailMessage): Pick<OutgoingMail, "headers"> {
  if (unsubscribe === undefined) return {};
  return {
    headers: {
      "List-Unsubscribe": `<${new URL(unsubscribe).href}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      "Auto-Submitted": "auto-generated",
    },
  };
}

/** Throws MailRejected for line breaks in what becomes a header, which would add headers. */
function checkMessage({ to, subject }: MailMessage): void {
  for (const [name, text] of Object.entries({ to, subject }))
    if (/\p{Cc}/u.test(text)) throw new MailRejected(`Cannot send mail: "${name}" has a control character`);
}
