import { MailRejected, type MailTransport } from "lectern/contracts";
import { messageOf } from "lectern/db";
import { createTransport } from "nodemailer";

/** Timeout of each step of a delivery, in milliseconds; well below a job's lease of one minute. */
const STEP_MS = 10_000;
/** The first reply code of SMTP for failures that last. */
const PERMANENT = 500;
/** The port on which servers expect TLS from the first byte (implicit TLS). */
const TLS_PORT = 465;

/** The SMTP server that accepts messages. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** Empty if the server requires none. */
  readonly username: string;
  readonly password: string;
  /** "tls" requires STARTTLS, "ssl" (and port 465) starts with TLS, empty uses STARTTLS if it is offered. */
  readonly encryption: "" | "null" | "tls" | "ssl";
}

/** The shipped transport, which delivers messages by SMTP with one connection per message. */
export function createSmtpTransport(server: SmtpServer): MailTransport & { close(): void } {
  const { host, port, username, password, encryption } = server;
  const isWrapped = encryption === "ssl" || port === TLS_PORT;
  const transport = createTransport({
    host,
    port,
    secure: isWrapped,
    requireTLS: encryption === "tls" && !isWrapped,
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    // Our messages have no attachments, so nothing in a message may make nodemailer read files or fetch URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(username === "" ? {} : { auth: { user: username, pass: password } }),
  });
  return {
    name: "smtp",
    async send(message) {
      try {
        // As an object, so that a comma or a bracket in an address cannot add recipients.
        const { unsubscribe: _, ...sent } = message;
        await transport.sendMail({ ...sent, to: { name: "", address: message.to } });
      } catch (cause) {
        if (isUnknownRecipient(cause)) throw new MailRejected(messageOf(cause), { cause });
        throw cause;
      }
    },
    close: () => transport.close(),
  };
}

/** Whether the server refused the recipient for good (5xx). Refused senders and passwords are settings, which may be corrected. */
function isUnknownRecipient(error: unknown): boolean {
  const { command, responseCode = 0 } = error as { command?: string; responseCode?: number };
  return command === "RCPT TO" && responseCode >= PERMANENT;
}
