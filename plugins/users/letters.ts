import { html, type Letter } from "lectern/core";
import type { PersonalLink } from "./links.ts";

/** The letter that invites somebody to choose a password. `days`: how long the link holds. */
export function inviteLetter({ name, email, link }: PersonalLink, days: number): Letter {
  return letter(email, "You have been invited", [
    `Hello ${name},`,
    "an account was made for you. Choose a password to use it:",
    link,
    `The link holds for ${days} days and works once.`,
  ]);
}

/** The letter to somebody who forgot a password. `minutes`: how long the link holds. */
export function resetLetter({ name, email, link }: PersonalLink, minutes: number): Letter {
  return letter(email, "Choose a new password", [
    `Hello ${name},`,
    "a new password was asked for your account. Choose one here:",
    link,
    `The link holds for ${minutes} minutes and works once. If it was not you who asked, there is nothing to do.`,
  ]);
}

function letter(to: string, subject: string, lines: readonly string[]): Letter {
  const shown = lines.map((line) =>
    line.startsWith("http") ? html`<p><a href="${line}">${line}</a></p>` : html`<p>${line}</p>`,
  );
  return { to, subject, text: `${lines.join("\n\n")}\n`, html: shown.map(String).join("\n") };
}
