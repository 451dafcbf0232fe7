/**
 * Routes for those who cannot sign in yet: an invitation accepted, a forgotten password asked about and chosen anew.
 * They are public, so they tell nobody whether an account exists, are throttled by address, and the secret of a link is
 * the only credential they take.
 */
import {
  type Allowed,
  ApiError,
  endpoint,
  type InputObject,
  NOBODY,
  notFound,
  type PluginContext,
  sql,
  type Users,
  type Viewer,
} from "lectern/core";
import { forgottenRules, passwordRules, type User } from "./contract.ts";
import { INVITE, type LinkKind, linkOwner, RESET, takeLink } from "./links.ts";
import { hashPassword } from "./passwords.ts";
import { readUser } from "./read.ts";
import { changeUser } from "./write.ts";

/** Links tried from one address; there are 62^24 of them. */
const BY_ADDRESS: Allowed = { name: "password links by address", attempts: 20, seconds: 600 };
/** Letters asked for from one address. */
const LETTERS_BY_ADDRESS: Allowed = { name: "password resets by address", attempts: 20, seconds: 600 };
/** Letters to one account, so that nobody is flooded. */
const BY_ACCOUNT: Allowed = { name: "password resets by account", attempts: 3, seconds: 3600 };

type Context = Pick<
  PluginContext<"mail" | "throttle", "users" | "user_invites" | "user_resets">,
  "app" | "contracts" | "db" | "perform" | "valid"
>;

/** Mounts the routes. `open` throws where the instance lets nobody change accounts. */
export function mountChosen(context: Context, viewerOf: Users["viewer"], open: () => void): void {
  const { app, contracts, perform, valid } = context;
  app.post(
    "/register/invite/:token",
    ({ params, input, address }) =>
      chosen(context, { kind: INVITE, secret: params.token, input, address, viewerOf, open }),
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
    ({ params, input, address }) =>
      chosen(context, { kind: RESET, secret: params.token, input, address, viewerOf, open }),
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
      await contracts.throttle.take(LETTERS_BY_ADDRESS, address);
      const { email } = await valid(forgottenRules, input, NOBODY);
      await contracts.throttle.take(BY_ACCOUNT, email.toLowerCase());
      await perform("auth_password_reset_request", NOBODY, { email }, async (draft, work) => {
        await work.enqueue("user_reset", draft);
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

interface Choice {
  readonly kind: LinkKind;
  readonly secret: string;
  readonly input: InputObject;
  readonly address: string;
  readonly viewerOf: Users["viewer"];
  open(): void;
}

async function chosen({ contracts, db, perform, valid }: Context, choice: Choice) {
  const { kind, secret, input, address, viewerOf, open } = choice;
  open();
  await contracts.throttle.take(BY_ADDRESS, address);
  const row = await ownerOf(db, kind, secret);
  const { password } = await valid(passwordRules, input, NOBODY);
  const draft = { password_hash: await hashPassword(password) };
  const viewer = (await viewerOf(row.id)) as Viewer;
  const user = await perform("user_update", viewer, { row, draft }, async (final, work) => {
    if (!(await takeLink(work.db, kind, secret))) throw notFound("Link");
    const changed = await changeUser(final.row.id, final.draft, work);
    // The letter arrived, so the address is the user's.
    await sql`update users set email_confirmed = true where id = ${changed.id}`.execute(work.db);
    if (kind === RESET) await work.perform("auth_password_reset_update", changed, async (reset) => reset);
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
