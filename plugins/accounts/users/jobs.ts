/**
 * The jobs that send the messages of accounts. A job creates the secret of a link when it sends the message, so no job payload contains
 * one, and writes in the language of who gets it.
 */
import { sql } from "lectern/core";
import { prepared } from "lectern/db";
import { isEmailTaken } from "./checks.ts";
import type { UsersContext } from "./contract.ts";
import { INVITE, NEW_ADDRESS, openLink, RESET, renewLink } from "./links.ts";
import { formerAddressMessage, inviteMessage, type Letter, newAddressMessage, resetMessage } from "./mail_messages.ts";

/** Attempts to send a message; with their growing pauses they take about four hours. */
const TRIES = 10;

const findByEmail = prepared("users.findByEmail", (db, p: { email: string }) =>
  db
    .selectFrom("users")
    .select("id")
    .where((eb) => eb(eb.fn<string>("lower", ["email"]), "=", sql<string>`lower(${p.email})`))
    .where("system_name", "=", sql.lit("")),
);

const findReader = prepared("users.findReader", (db, p: { id: number }) =>
  db
    .selectFrom("users")
    .leftJoin("user_invites", "user_invites.user_id", "users.id")
    .leftJoin("users as inviters", "inviters.id", "user_invites.invited_by")
    .leftJoin("user_email_changes as wanted", "wanted.user_id", "users.id")
    .select(["users.name", "users.email", "users.language", "inviters.name as inviter", "wanted.email as wanted"])
    .where("users.id", "=", p.id),
);

/** Registers the jobs. */
export function handleMailJobs(context: UsersContext): void {
  const { baseUrl, contracts, db, instanceName, jobs, log, texts } = context;
  const { mail } = contracts;
  const letterIn = (preferred = ""): Letter => ({
    texts,
    language: preferred === "" ? texts.language() : preferred,
    instance: instanceName(),
  });
  jobs.handle(
    "user_invite",
    async ({ user_id }) => {
      const renewed = await renewLink(db, INVITE, user_id, baseUrl);
      if (!renewed) return;
      if (!mail.isConfigured) {
        const facts = { user: renewed.email, link: renewed.link };
        log.info("No mail server is configured; pass this invitation on yourself", facts);
        return;
      }
      const reader = await findReader.executeTakeFirst(db, { id: user_id });
      const facts = { days: INVITE.hours / 24, inviter: reader?.inviter ?? undefined };
      await mail.send(inviteMessage(letterIn(reader?.language), renewed, facts));
    },
    { tries: TRIES },
  );
  jobs.handle(
    "user_reset",
    async ({ email }) => {
      const user = await findByEmail.executeTakeFirst(db, { email });
      if (!user) return;
      await openLink(db, RESET, user.id);
      const renewed = await renewLink(db, RESET, user.id, baseUrl);
      const reader = renewed && (await findReader.executeTakeFirst(db, { id: user.id }));
      if (reader) await mail.send(resetMessage(letterIn(reader.language), renewed, RESET.hours * 60));
    },
    { tries: TRIES },
  );
  jobs.handle(
    "user_new_address",
    async ({ user_id }) => {
      const renewed = await renewLink(db, NEW_ADDRESS, user_id, baseUrl);
      // Read after that: another address that is wanted since has ended the link.
      const reader = await findReader.executeTakeFirst(db, { id: user_id });
      // Whose address it is already is not written to, as they have no part in what others want.
      if (!renewed || !reader?.wanted || (await isEmailTaken(db, reader.wanted, user_id))) return;
      const to = { ...renewed, email: reader.wanted };
      await mail.send(newAddressMessage(letterIn(reader.language), to, NEW_ADDRESS.hours));
    },
    { tries: TRIES },
  );
  jobs.handle(
    "user_former_address",
    async ({ user_id, email: former }) => {
      const reader = await findReader.executeTakeFirst(db, { id: user_id });
      if (!reader || !mail.isConfigured) return;
      await mail.send(formerAddressMessage(letterIn(reader.language), { ...reader, former }));
    },
    { tries: TRIES },
  );
}
