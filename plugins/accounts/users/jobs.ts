import { type EventTransaction, type PluginContext, sql } from "lectern/core";
import { rows } from "lectern/db";
import { INVITE, openLink, RESET, renewLink } from "./links.ts";
import { inviteMessage, resetMessage } from "./mail_messages.ts";

/** Tries of a message with growing pauses: about four hours in all. */
const TRIES = 10;

type Context = Pick<
  PluginContext<"mail", "users" | "user_invites" | "user_resets">,
  "baseUrl" | "contracts" | "db" | "job" | "log"
>;

/** Invites a user in the open transaction; the message follows the commit. */
export async function invite(userId: number, tx: EventTransaction): Promise<void> {
  await openLink(tx.db, INVITE, userId);
  await tx.enqueue("user_invite", { user_id: userId }, { key: String(userId) });
}

/** Handles the mail jobs. The secret of a link is made when its message is, so that no job holds one. */
export function handleMailJobs({ baseUrl, contracts, db, job, log }: Context): void {
  const { mail } = contracts;
  job(
    "user_invite",
    async ({ user_id }) => {
      const given = await renewLink(db, INVITE, user_id, baseUrl);
      if (!given) return;
      if (mail.isConfigured) await mail.send(inviteMessage(given, INVITE.hours / 24));
      else
        log.info("Invitation for the administrator to pass on; no mail is sent", {
          user: given.email,
          link: given.link,
        });
    },
    { tries: TRIES },
  );
  job(
    "user_reset",
    async ({ email }) => {
      const [user] = await rows(
        db,
        sql<{ id: number }>`select id from users where lower(email) = lower(${email}) and system_name = ''`,
      );
      if (!user) return;
      await openLink(db, RESET, user.id);
      const given = await renewLink(db, RESET, user.id, baseUrl);
      if (given) await mail.send(resetMessage(given, RESET.hours * 60));
    },
    { tries: TRIES },
  );
}
