/**
 * Another e-mail address for one's own account. It counts from the moment when the link in a mail to it is opened, by the user whose
 * account it is, so that a mistyped address gives nobody the account; the former address is told. The answer to the request does
 * not say whether another account has the address: the job then sends nothing. Requests ask for the current password and are
 * throttled as a sign-in is.
 */
import type { Allowed } from "lectern/contracts";
import { ApiError, endpoint, invalidFields, noContent, notFound, randomText, rules, sha256, sql } from "lectern/core";
import { prepared } from "lectern/db";
import { changeUser } from "./changes.ts";
import { meSchema, messageSchema, newAddressRules, type UsersContext } from "./contract.ts";
import { checkCurrentPassword } from "./current_password.ts";
import { about } from "./docs.ts";
import { deleteLink, NEW_ADDRESS } from "./links.ts";
import { ownAccount, presentOwn } from "./own_account.ts";
import { confirmEmail } from "./password_links.ts";

/** Messages that one account asks for, so that no mailbox is flooded. */
const BY_ACCOUNT: Allowed = { name: "new addresses by account", attempts: 5, seconds: 3600 };
/** Links tried by one account. */
const TRIES: Allowed = { name: "address links by account", attempts: 20, seconds: 600 };

interface Wanted {
  readonly userId: number;
  readonly email: string;
  readonly hash: string;
}

const insert = prepared("users.wantAddress", (db, p: Wanted) =>
  db
    .insertInto("user_email_changes")
    .values({
      user_id: p.userId,
      email: p.email,
      hash: p.hash,
      expires_at: sql<string>`now() + make_interval(hours => ${sql.lit(NEW_ADDRESS.hours)})`,
    })
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet((eb) => ({
        email: eb.ref("excluded.email"),
        hash: eb.ref("excluded.hash"),
        expires_at: eb.ref("excluded.expires_at"),
      })),
    ),
);

const find = prepared("users.findWantedAddress", (db, p: { userId: number; hash: string }) =>
  db
    .selectFrom("user_email_changes")
    .select("email")
    .where("user_id", "=", p.userId)
    .where("hash", "=", p.hash)
    .where("expires_at", ">", sql<string>`now()`),
);

const take = prepared("users.takeWantedAddress", (db, p: { userId: number; hash: string }) =>
  db
    .deleteFrom("user_email_changes")
    .where("user_id", "=", p.userId)
    .where("hash", "=", p.hash)
    .where("expires_at", ">", sql<string>`now()`)
    .returning("email"),
);

/** Mounts the routes. */
export function mountNewAddress(context: UsersContext): void {
  mountRequest(context);
  const { app, contracts, db, perform } = context;
  app.post(
    "/users/me/email/:token",
    async ({ viewer, params }) => {
      const row = await ownAccount(context, viewer);
      await contracts.throttle.take(TRIES, String(row.id));
      const link = { userId: row.id, hash: sha256(params.token) };
      const wanted = await find.executeTakeFirst(db, link);
      if (!wanted) throw notFound("Link");
      const changed = await perform("user_update", viewer, { row, draft: wanted }, async (final, tx) => {
        if (!(await take.executeTakeFirst(tx.db, link))) throw notFound("Link");
        const user = await changeUser(final.row.id, final.draft, tx);
        await confirmEmail.write(tx.db, { id: user.id });
        await tx.enqueue("user_former_address", { user_id: user.id, email: row.email });
        return user;
      });
      await contracts.throttle.forgive(TRIES, String(row.id));
      return presentOwn(context, changed, viewer);
    },
    {
      permit: "access-api",
      response: meSchema,
      ...endpoint("users", "confirmEmail", { about: about.confirmEmail, rules: rules({}) }),
    },
  );
  app.delete(
    "/users/me/email",
    async ({ viewer, set }) => {
      const { id } = await ownAccount(context, viewer);
      await deleteLink(db, NEW_ADDRESS, id);
      set.status = 204;
    },
    { permit: "access-api", response: noContent, ...endpoint("users", "keepEmail", { about: about.keepEmail }) },
  );
}

function mountRequest(context: UsersContext): void {
  const { app, contracts, db, jobs, validate } = context;
  app.post(
    "/users/me/email",
    async ({ viewer, input, set }) => {
      const row = await ownAccount(context, viewer);
      if (!contracts.mail.isConfigured)
        throw new ApiError(409, "This instance sends no mail; ask its administrator for another address");
      const { email, current_password } = await validate(newAddressRules, input, viewer);
      await checkCurrentPassword(context, row, current_password);
      if (email === row.email) throw invalidFields({ email: "This is the address of your account already." });
      await contracts.throttle.take(BY_ACCOUNT, String(row.id));
      // A secret that nobody knows: that of the link is made when the message is sent.
      await insert.execute(db, { userId: row.id, email, hash: sha256(randomText(SECRET_LENGTH)) });
      await jobs.enqueue("user_new_address", { user_id: row.id }, { key: String(row.id) });
      set.status = 202;
      return {
        message: "A letter with a link is on its way to the new address. It counts once you have opened the link",
      };
    },
    {
      permit: "access-api",
      response: { 202: messageSchema },
      ...endpoint("users", "newEmail", { about: about.newEmail, rules: newAddressRules, errors: [409] }),
    },
  );
}

const SECRET_LENGTH = 24;
