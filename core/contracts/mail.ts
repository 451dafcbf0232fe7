/** An e-mail message to one recipient. */
export interface MailMessage {
  /** An e-mail address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same as HTML. */
  readonly html?: string;
}

/** Sends e-mail. */
export interface Mail {
  /** Whether a mail server is configured; without one `send` throws. */
  readonly isConfigured: boolean;
  /**
   * Sends a message; resolves when the mail server has accepted it. Throws where the server cannot be reached or refuses.
   * Takes seconds: call it from a job, which is retried, and never within a transaction.
   */
  send(message: MailMessage): Promise<void>;
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    mail: Mail;
  }
}
