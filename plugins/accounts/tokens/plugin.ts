import { type Cached, definePlugin, denied, type EventTransaction, type PluginContext, sha256 } from "lectern/core";
import { tokenResolver } from "./authenticate.ts";
import { tokenCommand } from "./commands.ts";
import { tokensUsed } from "./last_used.ts";
import { migrations } from "./migrations.ts";
import { mountTokens } from "./routes.ts";
import { checkScope } from "./scope.ts";
import { seedToken } from "./seed.ts";
import { settings, zoneOf } from "./settings.ts";
import { type KnownToken, readToken } from "./token_cache.ts";

/** API tokens: how requests say who asks (platform 1.2 and 1.3). */
export default definePlugin({
  name: "tokens",
  requires: ["users"],
  permissions: { read: ["users", "roles", "role_permissions", "role_user"], write: ["api_tokens"] },
  settings,
  migrations,
  events: ["api_token_create", "api_token_update", "api_token_delete"],
  commands: { token: tokenCommand },
  setup(context) {
    const { auth, cached, contracts, db, log, visibilityRule, on, onStop } = context;
    const { adminToken, confirmation, environment, restrict } = context.settings;
    const timeZone = zoneOf(context.settings.timeZone);
    const known = cached("tokens", (tokenId) => readToken(db, tokenId, timeZone));
    const lastUsed = tokensUsed(db, log);
    onStop(() => lastUsed.flush());
    auth(
      tokenResolver({
        known,
        users: contracts.users,
        needsConfirmation: confirmation || restrict !== "",
        used: ({ id }) => lastUsed.note("used", id),
        upgrade,
      }),
    );

    /** Another process may do the same meanwhile; both write a hash of the same secret. */
    async function upgrade(token: KnownToken, secret: string): Promise<boolean> {
      const old = token.hash;
      if (!(await Bun.password.verify(secret, old))) return false;
      const hash = sha256(secret);
      await db
        .updateTable("api_tokens")
        .set({ secret_hash: hash })
        .where("id", "=", token.id)
        .where("secret_hash", "=", old)
        .execute();
      token.hash = hash;
      return true;
    }

    visibilityRule("api_tokens", () => true);
    mountTokens(context, {
      lastUsed,
      open() {
        if (environment === "demo") throw denied();
      },
    });
    watch(context, known);
    guard(context);
    on("app_boot", {
      async inTransaction(_, tx) {
        if (adminToken === "" || (await seedToken(adminToken, tx))) return;
        log.warn(
          "ADMIN_TOKEN is not in use: an id:secret is read at the first boot only; make tokens with the command token",
        );
      },
    });
  },
});

/** Tokens of an administrator are made, prolonged and revoked by themselves and by other administrators alone. */
function guard({ contracts, on }: Pick<PluginContext<"users">, "contracts" | "on">): void {
  const guarded = (owner: number, tx: EventTransaction) =>
    owner === tx.viewer.id ? undefined : contracts.users.guardedAdmin(tx.viewer, owner, tx);
  on("api_token_create", { veto: ({ user_id }, tx) => guarded(user_id, tx) });
  on("api_token_update", { veto: ({ row }, tx) => guarded(row.user_id, tx) });
  on("api_token_delete", { veto: ({ user_id }, tx) => guarded(user_id, tx) });
}

/** Keeps narrower tokens to their scope, and what is remembered of tokens true. */
function watch({ on, onAny, slot }: Pick<PluginContext, "on" | "onAny" | "slot">, known: Cached<KnownToken>): void {
  onAny({
    inTransaction({ name, viewer }) {
      const kinds = viewer.only ? slot("content").map(({ kind }) => kind) : [];
      checkScope(viewer, name, kinds);
    },
  });
  for (const event of ["api_token_update", "api_token_delete"] as const)
    on(event, { inTransaction: ({ token_id }, tx) => known.forget(tx, token_id) });
  // What is remembered of a token includes its owner's state; which tokens that were is gone with a deleted user.
  on("user_delete", { inTransaction: (_, tx) => known.forget(tx) });
  on("user_update", {
    async inTransaction({ id }, tx) {
      const tokens = await tx.db.selectFrom("api_tokens").select("token_id").where("user_id", "=", id).execute();
      for (const { token_id } of tokens) await known.forget(tx, token_id);
    },
  });
}
