import type { MailMessage } from "lectern/contracts";
import { createTransport } from "nodemailer";

/** Timeout of each step of a delivery, in milliseconds; well below a job's lease of one minute. */
const STEP_MS = 10_000;
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
  /** The sender, as `address` or `Name <address>`. */
  readonly from: string;
}

/** Creates a transport that delivers messages by SMTP, with one connection per message. */
export function createSmtpTransport(server: SmtpServer): {
  deliver(message: MailMessage): Promise<void>;
  close(): void;
} {
  const { host, port, username, password, encryption, from } = server;
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
    async deliver(message) {
      // As an object, so that a comma or a bracket in an address cannot add recipients.
      await transport.sendMail({ ...message, from, to: { name: "", address: message.to } });
    },
    close: () => transport.close(),
  };
}
