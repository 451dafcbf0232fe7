/**
 * The messages of accounts, in the language of who gets them. Each names the instance, as its reader may know several, and what to do
 * where it was not asked for.
 */
import type { MailMessage } from "lectern/contracts";
import { html, type Texts } from "lectern/core";
import type { PersonalLink } from "./links.ts";

/** What all messages are made with. */
export interface Letter {
  readonly texts: Pick<Texts, "say">;
  readonly language: string;
  /** The name of the instance. */
  readonly instance: string;
}

/** The message of an invitation; `days` is the lifetime of the link, `inviter` the name of who sends it, if a user does. */
export function inviteMessage(
  letter: Letter,
  { name, email, link }: PersonalLink,
  { days, inviter }: { readonly days: number; readonly inviter: string | undefined },
): MailMessage {
  const t = sayer(letter);
  return message(letter, email, t("You have been invited to :instance"), [
    t("Hello :name,", { name }),
    inviter === undefined
      ? t("you have been invited to :instance. Choose a password to use your account:")
      : t(":inviter has invited you to :instance. Choose a password to use your account:", { inviter }),
    link,
    t("The link is valid for :days days and can be used once.", { days }),
  ]);
}

/** The message of a password reset; `minutes` is the lifetime of the link. */
export function resetMessage(letter: Letter, { name, email, link }: PersonalLink, minutes: number): MailMessage {
  const t = sayer(letter);
  return message(letter, email, t("Choose a new password for :instance"), [
    t("Hello :name,", { name }),
    t("a new password was requested for your account at :instance. Choose one here:"),
    link,
    t("The link is valid for :minutes minutes and can be used once. If you did not request it, ignore this message.", {
      minutes,
    }),
  ]);
}

/** The message to an address that a user wants to have; `hours` is the lifetime of the link. */
export function newAddressMessage(letter: Letter, { name, email, link }: PersonalLink, hours: number): MailMessage {
  const t = sayer(letter);
  return message(letter, email, t("Confirm your address for :instance"), [
    t("Hello :name,", { name }),
    t("this was given as the new address of your account at :instance. Confirm it here, signed in:"),
    link,
    t("The link is valid for :hours hours and can be used once. If you did not request it, ignore this message.", {
      hours,
    }),
  ]);
}

/** The message to the former address of a user. */
export function formerAddressMessage(
  letter: Letter,
  { name, former, email }: { readonly name: string; readonly former: string; readonly email: string },
): MailMessage {
  const t = sayer(letter);
  return message(letter, former, t("Your address at :instance has changed"), [
    t("Hello :name,", { name }),
    t("the address of your account at :instance is now :email. Messages no longer go to this one.", { email }),
    t("If this was not you, tell an administrator of :instance at once."),
  ]);
}

function sayer({ texts, language, instance }: Letter) {
  return (text: string, params: Readonly<Record<string, string | number>> = {}) =>
    texts.say(text, { instance, ...params }, language);
}

function message(letter: Letter, to: string, subject: string, lines: readonly string[]): MailMessage {
  const shown = lines.map((line) =>
    /^https?:\/\/\S+$/.test(line) ? html`<p><a href="${line}">${line}</a></p>` : html`<p>${line}</p>`,
  );
  const body = html`<html lang="${letter.language.replace("_", "-")}"><body>
${shown}
</body></html>`;
  // A name may have what would end a header.
  return { to, subject: subject.replace(/\p{Cc}+/gu, " "), text: `${lines.join("\n\n")}\n`, html: body.toString() };
}
