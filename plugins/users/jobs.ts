import { type PluginContext, sql, type Work } from "lectern/core";
import { rows } from "lectern/db";
import { inviteLetter, resetLetter } from "./letters.ts";
import { INVITE, openLink, RESET, renewLink } from "./links.ts";

/** Tries of a letter with growing pauses: about four hours in all. */
const TRIES = 10;

type Context = Pick<
  PluginContext<"mail", "users" | "user_invites" | "user_resets">,
  "baseUrl" | "contracts" | "db" | "job" | "log"
>;

/** Invites a user in the open transaction; the letter follows the commit. */
export async function invite(userId: number, work: Work): Promise<void> {
  await openLink(work.db, INVITE, userId);
  await work.enqueue("user_invite", { user_id: userId }, { key: String(userId) });
}

/** Handles the letters. The secret of a link is made when its letter is, so that no job holds one. */
export function handleLetters({ baseUrl, contracts, db, job, log }: Context): void {
  const { mail } = contracts;
  job(
    "user_invite",
    async ({ user_id }) => {
      const given = await renewLink(db, INVITE, user_id, baseUrl);
      if (!given) return;
      if (mail.isConfigured) await mail.send(inviteLetter(given, INVITE.hours / 24));
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
      if (given) await mail.send(resetLetter(given, RESET.hours * 60));
    },
    { tries: TRIES },
  );
}
