/**
 * Routes for users who cannot sign in yet: accept an invitation, request a password reset, choose a new password. They are
 * public, so no answer reveals whether an account exists, attempts are throttled by address, and the secret of a link is
 * the only credential.
 */
import type { Allowed } from "lectern/contracts";
import { ApiError, endpoint, GUEST, type InputObject, notFound, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import { changeUser } from "./changes.ts";
import {
  accountRefSchema,
  forgottenRules,
  messageSchema,
  passwordRules,
  type User,
  type UsersContext,
} from "./contract.ts";
import { about } from "./docs.ts";
import { INVITE, type LinkKind, linkOwner, RESET, takeLink } from "./links.ts";
import { readUser } from "./queries.ts";
import { sealedHash } from "./sealed_hash.ts";

/** Links tried from one address; there are 62^24 possible secrets. */
const BY_ADDRESS: Allowed = { name: "password links by address", attempts: 20, seconds: 600 };
/** Reset messages requested from one address. */
const MESSAGES_BY_ADDRESS: Allowed = { name: "password resets by address", attempts: 20, seconds: 600 };
/** Reset messages to one account, so that its mailbox is not flooded. */
const BY_ACCOUNT: Allowed = { name: "password resets by account", attempts: 3, seconds: 3600 };

/** Notes that the address of a user is the user's, as a message to it arrived. */
export const confirmEmail = prepared("users.confirmEmail", (db, p: { id: number }) =>
  db.updateTable("users").set({ email_confirmed: true }).where("id", "=", p.id),
);

/** Mounts the routes. */
export function mountPasswordLinks(context: UsersContext): void {
  const { app, contracts, denyInDemo, perform, validate } = context;
  app.post(
    "/register/invite/:token",
    ({ params, input, address }) => setPassword(context, { kind: INVITE, secret: params.token, input, address }),
    {
      permit: "public",
      response: accountRefSchema,
      ...endpoint("register", "acceptInvite", { about: about.acceptInvite, rules: passwordRules }),
    },
  );
  app.post(
    "/password/reset/:token",
    ({ params, input, address }) => setPassword(context, { kind: RESET, secret: params.token, input, address }),
    {
      permit: "public",
      response: accountRefSchema,
      ...endpoint("password", "reset", { about: about.reset, rules: passwordRules }),
    },
  );
  app.post(
    "/password/email",
    async ({ input, address, set }) => {
      denyInDemo();
      if (!contracts.mail.isConfigured)
        throw new ApiError(409, "This instance sends no mail; ask its administrator for a new password");
      await contracts.throttle.take(MESSAGES_BY_ADDRESS, address);
      const { email } = await validate(forgottenRules, input, GUEST);
      await contracts.throttle.take(BY_ACCOUNT, email.toLowerCase());
      await perform("auth_password_reset_request", GUEST, { email }, async (draft, tx) => {
        await tx.enqueue("user_reset", draft);
        return draft;
      });
      set.status = 202;
      return { message: "If there is an account with this address, a letter is on its way to it" };
    },
    {
      permit: "public",
      response: { 202: messageSchema },
      ...endpoint("password", "email", { about: about.requestReset, rules: forgottenRules, errors: [409] }),
    },
  );
}

interface PasswordLinkRequest {
  readonly kind: LinkKind;
  readonly secret: string;
  readonly input: InputObject;
  readonly address: string;
}

/** Sets the password that a user chose by a link, and uses the link up. */
async function setPassword(context: UsersContext, { kind, secret, input, address }: PasswordLinkRequest) {
  const { contracts, db, denyInDemo, passwordChecker, perform, validate, viewerOf } = context;
  denyInDemo();
  await contracts.throttle.take(BY_ADDRESS, address);
  const row = await findOwner(db, kind, secret);
  const { password } = await validate(passwordRules, input, GUEST);
  await passwordChecker.byUser(password);
  const draft = { password_hash: await sealedHash(password) };
  const viewer = (await viewerOf(row.id)) as Viewer;
  const user = await perform("user_update", viewer, { row, draft }, async (final, tx) => {
    if (!(await takeLink(tx.db, kind, secret))) throw notFound("Link");
    const changed = await changeUser(final.row.id, final.draft, tx);
    // The message arrived, so the address belongs to the user.
    await confirmEmail.write(tx.db, { id: changed.id });
    if (kind === RESET) await tx.perform("auth_password_reset_update", changed, async (reset) => reset);
    return changed;
  });
  // Many users may accept invitations from one office network; only failed attempts count.
  await contracts.throttle.forgive(BY_ADDRESS, address);
  return { id: user.id, name: user.name, slug: user.slug, email: user.email };
}

async function findOwner(db: UsersContext["db"], kind: LinkKind, secret: string): Promise<User> {
  const id = await linkOwner(db, kind, secret);
  const user = id === undefined ? undefined : await readUser(db, id);
  if (!user) throw notFound("Link");
  return user;
}
