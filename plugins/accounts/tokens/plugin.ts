/**
 * API tokens, and authentication by them (platform 1.2 and 1.3). A token belongs to a user and has at most the user's
 * permissions; its scope may restrict it further, which the resolver, the contract `access` and every event of content
 * check. Tokens are cached, so that a request costs no query, and last uses are written in batches.
 */
import { type Cached, definePlugin, denied, type EventTransaction, matchesSlowHash, sha256 } from "lectern/core";
import { tokenResolver } from "./authenticate.ts";
import { tokenCommand } from "./commands.ts";
import type { TokensContext } from "./contract.ts";
import { tokensUsed } from "./last_used.ts";
import { migrations } from "./migrations.ts";
import { mountTokens } from "./routes.ts";
import { checkScope } from "./scope.ts";
import { seedToken } from "./seed.ts";
import { settings, zoneOf } from "./settings.ts";
import { type CachedToken, readToken } from "./token_cache.ts";

/** API tokens, and authentication by them (platform 1.2 and 1.3). */
export default definePlugin({
  name: "tokens",
  requires: ["users"],
  grants: {
    read: ["users", "roles", "role_permissions", "role_user"],
    write: ["api_tokens", "users"],
    system: true,
    auth: true,
  },
  settings,
  migrations,
  events: ["api_token_create", "api_token_update", "api_token_delete"],
  commands: { token: tokenCommand },
  setup(plugin) {
    const { auth, cache, contracts, db, log, visibilityRule, on, onStop } = plugin;
    const { adminToken, environment } = plugin.settings;
    const timeZone = zoneOf(plugin.settings.timeZone);
    const tokens = cache.values("tokens", (tokenId) => readToken(db, tokenId, timeZone));
    const context: TokensContext = {
      ...plugin,
      lastUsed: tokensUsed(db, log),
      denyInDemo() {
        if (environment === "demo") throw denied();
      },
    };
    onStop(() => context.lastUsed.flush());
    auth(
      tokenResolver({
        tokens,
        users: contracts.users,
        used: ({ id }) => context.lastUsed.note("used", id),
        upgrade: (token, secret) => upgradeHash(context, token, secret),
      }),
    );
    visibilityRule("api_tokens", () => true);
    mountTokens(context);
    restrictToScope(context);
    invalidateCache(context, tokens);
    protectAdministrators(context);
    on("app_boot", {
      async inTransaction(_, tx) {
        if (adminToken === "" || (await seedToken(adminToken, tx))) return;
        log.warn("ADMIN_TOKEN is ignored: it is read at the first boot only; create tokens with the command `token`");
      },
    });
  },
});

/**
 * Verifies a secret against a bcrypt hash and replaces the hash by a fast one. Concurrent upgrades in several processes are
 * harmless, as they write the same value.
 */
async function upgradeHash({ db }: TokensContext, token: CachedToken, secret: string): Promise<boolean> {
  const bcryptHash = token.hash;
  if (!(await matchesSlowHash(secret, bcryptHash, `token ${token.id}`))) return false;
  const hash = sha256(secret);
  await db
    .updateTable("api_tokens")
    .set({ secret_hash: hash })
    .where("id", "=", token.id)
    .where("secret_hash", "=", bcryptHash)
    .execute();
  token.hash = hash;
  return true;
}

/** Tokens of administrators are created, updated and revoked by themselves and other administrators alone. */
function protectAdministrators({ contracts, on }: TokensContext): void {
  const veto = (owner: number, tx: EventTransaction) =>
    owner === tx.viewer.id ? undefined : contracts.users.guardedAdmin(tx.viewer, owner, tx);
  on("api_token_create", { veto: ({ user_id }, tx) => veto(user_id, tx) });
  on("api_token_update", { veto: ({ row }, tx) => veto(row.user_id, tx) });
  on("api_token_delete", { veto: ({ user_id }, tx) => veto(user_id, tx) });
}

/** Checks the scope of the viewer's token at every event of content. */
function restrictToScope({ on, slot }: TokensContext): void {
  on.any({
    inTransaction({ name, viewer }) {
      const kinds = viewer.only ? slot("content").map(({ kind }) => kind) : [];
      checkScope(viewer, name, kinds);
    },
  });
}

/** Removes tokens from the cache when they or their users change. */
function invalidateCache({ on }: TokensContext, tokens: Cached<CachedToken>): void {
  for (const event of ["api_token_update", "api_token_delete"] as const)
    on(event, { inTransaction: ({ token_id }, tx) => tokens.forget(tx, token_id) });
  // A cached token contains the state of its user. The tokens of a deleted user are deleted with it, so all are forgotten.
  on("user_delete", { inTransaction: (_, tx) => tokens.forget(tx) });
  on("user_update", {
    async inTransaction({ id }, tx) {
      const changed = await tx.db.selectFrom("api_tokens").select("token_id").where("user_id", "=", id).execute();
      for (const { token_id } of changed) await tokens.forget(tx, token_id);
    },
  });
}
