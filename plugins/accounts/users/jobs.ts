import { type EventTransaction, sql } from "lectern/core";
import { prepared } from "lectern/db";
import type { UsersContext } from "./contract.ts";
import { INVITE, openLink, RESET, renewLink } from "./links.ts";
import { inviteMessage, resetMessage } from "./mail_messages.ts";

/** Attempts to send a message; with their growing pauses they take about four hours. */
const TRIES = 10;

const findByEmail = prepared("users.findByEmail", (db, p: { email: string }) =>
  db
    .selectFrom("users")
    .select("id")
    .where((eb) => eb(eb.fn<string>("lower", ["email"]), "=", sql<string>`lower(${p.email})`))
    .where("system_name", "=", sql.lit("")),
);

/** Invites a user within the open transaction; a job sends the message after the commit. */
export async function invite(userId: number, tx: EventTransaction): Promise<void> {
  await openLink(tx.db, INVITE, userId);
  await tx.enqueue("user_invite", { user_id: userId }, { key: String(userId) });
}

/** Registers the mail jobs. A job creates the secret of a link when it sends the message, so no job payload contains one. */
export function handleMailJobs(context: UsersContext): void {
  const { baseUrl, contracts, db, jobs, log } = context;
  const { mail } = contracts;
  jobs.handle(
    "user_invite",
    async ({ user_id }) => {
      const renewed = await renewLink(db, INVITE, user_id, baseUrl);
      if (!renewed) return;
      if (mail.isConfigured) await mail.send(inviteMessage(renewed, INVITE.hours / 24));
      else
        log.info("No mail server is configured; pass this invitation on yourself", {
          user: renewed.email,
          link: renewed.link,
        });
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
      if (renewed) await mail.send(resetMessage(renewed, RESET.hours * 60));
    },
    { tries: TRIES },
  );
}
