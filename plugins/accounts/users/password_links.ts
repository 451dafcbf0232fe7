/**
 * Routes for those who cannot sign in yet: an invitation accepted, a forgotten password asked about and chosen anew.
 * They are public, so they tell nobody whether an account exists, are throttled by address, and the secret of a link is
 * the only credential they take.
 */
import type { Allowed, Users } from "lectern/contracts";
import {
  ApiError,
  endpoint,
  GUEST,
  type InputObject,
  notFound,
  type PluginContext,
  sql,
  type Viewer,
} from "lectern/core";
import type { CheckPassword } from "./common_passwords.ts";
import { forgottenRules, passwordRules, type User } from "./contract.ts";
import { INVITE, type LinkKind, linkOwner, RESET, takeLink } from "./links.ts";
import { hashPassword } from "./passwords.ts";
import { readUser } from "./read.ts";
import { changeUser } from "./write.ts";

/** Links tried from one address; there are 62^24 of them. */
const BY_ADDRESS: Allowed = { name: "password links by address", attempts: 20, seconds: 600 };
/** Letters asked for from one address. */
const MESSAGES_BY_ADDRESS: Allowed = { name: "password resets by address", attempts: 20, seconds: 600 };
/** Letters to one account, so that nobody is flooded. */
const BY_ACCOUNT: Allowed = { name: "password resets by account", attempts: 3, seconds: 3600 };

type Context = Pick<
  PluginContext<"mail" | "throttle", "users" | "user_invites" | "user_resets">,
  "app" | "contracts" | "db" | "perform" | "validate"
>;

/** What the routes need beside the context. */
export interface PasswordLinkRoutes {
  readonly viewerOf: Users["viewer"];
  readonly checkPassword: CheckPassword;
  /** Throws where the instance lets nobody change accounts. */
  open(): void;
}

/** Mounts the routes. */
export function mountPasswordLinks(context: Context, parts: PasswordLinkRoutes): void {
  const { open } = parts;
  const { app, contracts, perform, validate } = context;
  app.post(
    "/register/invite/:token",
    ({ params, input, address }) => chosen(context, { ...parts, kind: INVITE, secret: params.token, input, address }),
    {
      permit: "public",
      ...endpoint("register", "acceptInvite", {
        about: "Accepts an invitation by its token: sets the password of the invited account. Works once.",
        rules: passwordRules,
      }),
    },
  );
  app.post(
    "/password/reset/:token",
    ({ params, input, address }) => chosen(context, { ...parts, kind: RESET, secret: params.token, input, address }),
    {
      permit: "public",
      ...endpoint("password", "reset", {
        about: "Sets a new password by the token of a reset letter. Works once, and ends the account's sessions.",
        rules: passwordRules,
      }),
    },
  );
  app.post(
    "/password/email",
    async ({ input, address, set }) => {
      open();
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
      ...endpoint("password", "email", {
        about: "Asks for a letter with which to choose a new password. The answer is the same for unknown addresses.",
        rules: forgottenRules,
      }),
    },
  );
}

interface Choice extends PasswordLinkRoutes {
  readonly kind: LinkKind;
  readonly secret: string;
  readonly input: InputObject;
  readonly address: string;
}

async function chosen({ contracts, db, perform, validate }: Context, choice: Choice) {
  const { kind, secret, input, address, viewerOf, checkPassword, open } = choice;
  open();
  await contracts.throttle.take(BY_ADDRESS, address);
  const row = await ownerOf(db, kind, secret);
  const { password } = await validate(passwordRules, input, GUEST);
  await checkPassword(password);
  const draft = { password_hash: await hashPassword(password) };
  const viewer = (await viewerOf(row.id)) as Viewer;
  const user = await perform("user_update", viewer, { row, draft }, async (final, tx) => {
    if (!(await takeLink(tx.db, kind, secret))) throw notFound("Link");
    const changed = await changeUser(final.row.id, final.draft, tx);
    // The message arrived, so the address is the user's.
    await sql`update users set email_confirmed = true where id = ${changed.id}`.execute(tx.db);
    if (kind === RESET) await tx.perform("auth_password_reset_update", changed, async (reset) => reset);
    return changed;
  });
  // Many may accept from one office; only who never has a link is to be slowed down.
  await contracts.throttle.forgive(BY_ADDRESS, address);
  return { id: user.id, name: user.name, slug: user.slug, email: user.email };
}

async function ownerOf(db: Context["db"], kind: LinkKind, secret: string): Promise<User> {
  const id = await linkOwner(db, kind, secret);
  const user = id === undefined ? undefined : await readUser(db, sql`users.id = ${id}`);
  if (!user) throw notFound("Link");
  return user;
}
