/**
 * Mail: messages of plugins, and transports that deliver them in place of SMTP.
 * Whether a server is there, and when a message is sent again, is decided by the mail plugin.
 */
import { deepFreeze, JobFailure, type SlotSpecs } from "lectern/core";

/** An e-mail message to one recipient. */
export interface MailMessage {
  /** An e-mail address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same as HTML. */
  readonly html?: string;
  /**
   * An address at which whoever has it ends such messages, without signing in: by a POST, or on the screen that a GET shows. Mail programs
   * offer it beside the message (RFC 8058).
   */
  readonly unsubscribe?: string;
}

/**
 * Sends e-mail.
 * @example
 * export default definePlugin({
 *   name: "digest",
 *   requires: ["mail"],
 *   setup({ contracts: { mail }, jobs, log }) {
 *     jobs.handle("digest_send", async ({ to, text }) => {
 *       if (!mail.isConfigured) return;
 *       try {
 *         await mail.send({ to, subject: "New notes of this week", text });
 *       } catch (error) {
 *         if (!(error instanceof MailRejected)) throw error;
 *         log.warn("The address of a digest was refused", { error });
 *       }
 *     });
 *   },
 * });
 *
 * declare module "lectern/core" {
 *   interface Jobs { digest_send: { to: string; text: string } }
 * }
 */
export interface Mail {
  /** Whether a mail server or another transport is configured; without one `send` throws. */
  readonly isConfigured: boolean;
  /**
   * Sends a message; resolves when the transport has accepted it. Throws MailRejected where a further try would fail too, such
   * as for an address that does not exist, and another error where the transport cannot be reached or refuses for now. Takes
   * seconds: call it from a job, which is retried, and never within a transaction. MailRejected ends a job: it is kept as dead.
   */
  send(message: MailMessage): Promise<void>;
}

/**
 * The refusal of a message that a further try would not change, such as for an address that does not exist.
 * @example
 * if (response.status === 422) throw new MailRejected("The provider does not accept the address");
 */
export class MailRejected extends JobFailure {
  override readonly name = "MailRejected";
}

/** A message as a transport gets it. */
export interface OutgoingMail extends MailMessage {
  /** The sender (MAIL_FROM), as `address` or `Name <address>`. */
  readonly from: string;
  /** Further headers, such as those that `unsubscribe` is said by. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A way to deliver mail, such as the HTTP API of a provider: the contribution to the slot `mail_transport`. It replaces SMTP
 * where it is the only one or MAIL_TRANSPORT names it. Lectern keeps the job, its retries and the sender.
 * @example
 * const token = String(context.settings.token);
 * context.contribute("mail_transport", {
 *   name: "postmark",
 *   async send({ from, to, subject, text, html }, { signal }) {
 *     const body = JSON.stringify({ From: from, To: to, Subject: subject, TextBody: text, HtmlBody: html });
 *     const headers = { "content-type": "application/json", "x-postmark-server-token": token };
 *     const response = await context.fetch("https://api.postmarkapp.com/email", { method: "POST", headers, body, signal });
 *     if (response.status === 422) throw new MailRejected("Postmark refused the address");
 *     if (!response.ok) throw new Error(`Postmark answered ${response.status}`);
 *   },
 * });
 */
export interface MailTransport {
  /** Unique: the value of MAIL_TRANSPORT that chooses it. */
  readonly name: string;
  /**
   * Delivers a message to its one recipient; resolves when it was accepted. Throws MailRejected where a further try would fail
   * too; after any other error the message is tried again later, with growing pauses. It may be called twice for a message.
   * `signal` aborts after 30 seconds, which counts as an error of the second kind. Texts of errors are stored
   * and logged, so they hold no secrets.
   */
  send(message: OutgoingMail, options: { readonly signal: AbortSignal }): Promise<void>;
}

declare module "lectern/core" {
  interface Contracts {
    mail: Mail;
  }
  interface Slots {
    mail_transport: MailTransport;
  }
}

/** What is known of these slots beside their types. */
export const mailSlots = deepFreeze({
  mail_transport: { members: { name: "text", send: "function" }, ships: ["send"], limit: "long" },
} as const satisfies SlotSpecs);
