import type { MailMessage } from "lectern/contracts";
import { html } from "lectern/core";
import type { PersonalLink } from "./links.ts";

/** The message of an invitation; `days` is the lifetime of the link. */
export function inviteMessage({ name, email, link }: PersonalLink, days: number): MailMessage {
  return message(email, "You have been invited", [
    `Hello ${name},`,
    "an account was created for you. Choose a password to use it:",
    link,
    `The link is valid for ${days} days and can be used once.`,
  ]);
}

/** The message of a password reset; `minutes` is the lifetime of the link. */
export function resetMessage({ name, email, link }: PersonalLink, minutes: number): MailMessage {
  return message(email, "Choose a new password", [
    `Hello ${name},`,
    "a new password was requested for your account. Choose one here:",
    link,
    `The link is valid for ${minutes} minutes and can be used once. If you did not request it, ignore this message.`,
  ]);
}

function message(to: string, subject: string, lines: readonly string[]): MailMessage {
  const shown = lines.map((line) =>
    line.startsWith("http") ? html`<p><a href="${line}">${line}</a></p>` : html`<p>${line}</p>`,
  );
  return { to, subject, text: `${lines.join("\n\n")}\n`, html: shown.map(String).join("\n") };
}
