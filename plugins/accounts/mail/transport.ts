import type { MailMessage } from "lectern/contracts";
import { createTransport } from "nodemailer";

/** Longest wait for the server at each step of a delivery, in milliseconds; a job's lease is a minute. */
const STEP_MS = 10_000;
/** The port on which servers expect TLS from the first byte. */
const TLS_PORT = 465;

/** Where messages are handed in. */
export interface Server {
  readonly host: string;
  readonly port: number;
  /** Empty where the server asks for none. */
  readonly username: string;
  readonly password: string;
  /** "tls" insists on STARTTLS, "ssl" (and port 465) begins with TLS, empty takes STARTTLS where it is offered. */
  readonly encryption: "" | "null" | "tls" | "ssl";
  /** The sender, as `address` or `Name <address>`. */
  readonly from: string;
}

/** A way to hand messages to a server by SMTP, one connection for each. */
export function transportTo(server: Server): { deliver(message: MailMessage): Promise<void>; close(): void } {
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
    // A message of ours has no attachments, and nothing in it may make the sender read files or fetch addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(username === "" ? {} : { auth: { user: username, pass: password } }),
  });
  return {
    async deliver(message) {
      // An object keeps a comma or a bracket in an address from naming further recipients.
      await transport.sendMail({ ...message, from, to: { name: "", address: message.to } });
    },
    close: () => transport.close(),
  };
}
