/**
 * Mail (contract `mail`): by SMTP, or by the transport of another plugin (slot `mail_transport`). It stores nothing: a message
 * that must not be lost is sent from a job. The server is that of the settings at the time of a message, so a change needs no start.
 */
import {
  type Mail,
  type MailMessage,
  MailRejected,
  type MailTransport,
  mailSlots,
  type OutgoingMail,
} from "lectern/contracts";
import { chosenProvider, definePlugin, SECOND_MS, withinTime } from "lectern/core";
import type {} from "./contract.ts";
import { mailSettings, settings } from "./settings.ts";
import { ConfiguredServer, SMTP } from "./smtp_server.ts";
import { mountTest } from "./test_message.ts";

/** Sends mail; see the contract `mail`. */
export default definePlugin({
  name: "mail",
  requires: ["instance_settings"],
  provides: ["mail"],
  settings,
  slots: mailSlots,
  setup(context) {
    const { contracts, contribute, log, on, onStop, provide, slot } = context;
    const { host, timeout, transport: choice } = context.settings;
    const values = contracts.instance_settings;
    const late = `The mail transport took longer than ${timeout} seconds`;
    const smtp = new ConfiguredServer(values);
    onStop(() => smtp.close());
    // Of a server that administrators have chosen a plugin takes the place, as nobody could choose between them by a variable at that time.
    const isOwn = () => choice === SMTP || host !== undefined || slot("mail_transport").length === 0;
    const chosen = (): MailTransport | undefined => {
      const own = isOwn() && (smtp.isThere || choice === SMTP) ? [smtp] : [];
      const found = chosenProvider([...own, ...slot("mail_transport")], {
        ...{ service: "a mail transport", variable: "MAIL_TRANSPORT", chosen: choice },
      });
      return found === smtp && !smtp.isThere ? undefined : found;
    };
    const hasSender = () => values.value("mail_from").includes("@");
    for (const setting of mailSettings(context.settings, () => !isOwn())) contribute("instance_setting", setting);
    on("app_boot", {
      async inTransaction() {
        const transport = chosen();
        if (!transport && choice === SMTP) log.warn("Mail is not sent: MAIL_TRANSPORT is smtp, but no server is set");
        if (transport && !hasSender())
          log.warn("Mail is not sent: neither MAIL_FROM nor the setting of the sender is an address", {
            transport: transport.name,
          });
      },
    });
    const mail: Mail = {
      get isConfigured() {
        return chosen() !== undefined && hasSender();
      },
      async send(message) {
        await values.fresh();
        const transport = chosen();
        if (!transport) throw new Error("Cannot send mail: no server is set, by MAIL_HOST or in the settings");
        if (!hasSender()) throw new Error("Cannot send mail: no sender is set, by MAIL_FROM or in the settings");
        checkMessage(message);
        const outgoing = { ...message, from: values.value("mail_from"), ...headersOf(message) };
        if (transport === smtp) await transport.send(outgoing, { signal: new AbortController().signal });
        else await withinTime(timeout * SECOND_MS, (signal) => transport.send(outgoing, { signal }), late);
      },
    };
    provide("mail", mail, { send: "writes" });
    mountTest(context, mail);
  },
});

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
