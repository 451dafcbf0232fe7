/** One message to one person. */
export interface MailMessage {
  /** An e-mail address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same as HTML, for readers that show it. */
  readonly html?: string;
}

/** Mail to people. */
export interface Mail {
  /** Whether there is a mail server to hand messages to; where there is none, `send` throws. */
  readonly isConfigured: boolean;
  /**
   * Hands a message to the mail server and returns when the server has taken it. Throws when it cannot be reached or
   * refuses. Takes seconds: send from a job, which is tried again, and never within a transaction.
   */
  send(message: MailMessage): Promise<void>;
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    mail: Mail;
  }
}
