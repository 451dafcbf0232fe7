/**
 * Users: accounts, the default avatar, invitations and links for forgotten passwords, and the contract `users` for others.
 * Passwords are checked here; sessions and tokens belong to the plugins of these names. Administrators are guarded against
 * changes by others by vetoes (`admin_guard.ts`).
 */
import { join } from "node:path";
import { stdout } from "node:process";
import { authorReferences, lastActivitySlots, referenceCheck, type Users, userPictureSlots } from "lectern/contracts";
import { definePlugin, denied, type EventTransaction, HOUR_MS, sha256, shippedFile, startLine } from "lectern/core";
import { guardedAdmin, guardedChange } from "./admin_guard.ts";
import { bootState } from "./boot_state.ts";
import { manageableUser } from "./checks.ts";
import { userCommand } from "./commands.ts";
import { commonPasswordError, createPasswordChecker } from "./common_passwords.ts";
import type { User, UserChange, UsersContext } from "./contract.ts";
import { mountInvitations } from "./invitations.ts";
import { handleMailJobs } from "./jobs.ts";
import { sweepLinks } from "./links.ts";
import { mountMe } from "./me.ts";
import { migrations } from "./migrations.ts";
import { mountNewAddress } from "./new_address.ts";
import { mountPasswordLinks } from "./password_links.ts";
import { byPassword } from "./passwords.ts";
import { mountPeople } from "./people.ts";
import { readViewer, refOf } from "./queries.ts";
import { needsConfirmation, registrationSettings } from "./registration.ts";
import { mountUsers } from "./routes.ts";
import { beyondScope } from "./scope.ts";
import { printPassword, seedUsers } from "./seed.ts";
import { administratorCheck } from "./self_checks.ts";
import { settings } from "./settings.ts";
import { isSettled, registerTransfers, resumeTransfers } from "./transfers.ts";

const SWEEP_MS = HOUR_MS;

/** Users, the contract `users`, and the first two users of an instance (platform 5). */
export default definePlugin({
  name: "users",
  provides: ["users"],
  requires: ["instance_settings", "mail", "throttle"],
  uses: ["system"],
  grants: {
    read: ["roles", "role_permissions", "activities", "images"],
    write: [
      "users",
      "user_invites",
      "user_resets",
      "user_email_changes",
      "user_transfers",
      "role_user",
      "roles",
      "books",
      "bookshelves",
      "chapters",
      "pages",
    ],
    contentTables: ["write"],
    system: true,
    impersonate: true,
  },
  optionalTables: ["activities", "books", "bookshelves", "chapters", "images", "pages"],
  settings,
  migrations,
  events: [
    ...(["user_create", "user_update", "user_delete", "user_content_transfer"] as const),
    ...(["auth_password_reset_request", "auth_password_reset_update"] as const),
  ],
  commands: { user: userCommand },
  slots: { ...lastActivitySlots, ...userPictureSlots },
  setup(plugin) {
    const { cache, db, jobs, visibilityRule, on, onStart, provide, app } = plugin;
    const { adminEmail, adminPassword, deletedItems, environment, fileLimit, passwordCheck } = plugin.settings;
    const viewers = cache.values("viewers", (id) => readViewer(plugin, Number(id)));
    const context: UsersContext = {
      ...plugin,
      viewerOf: (id) => viewers.get(String(id)),
      passwordChecker: createPasswordChecker(passwordCheck),
      deletedItems,
      fileLimit,
      instanceName: () => plugin.contracts.system?.name ?? new URL(plugin.baseUrl).host,
      denyInDemo() {
        if (environment === "demo") throw denied();
      },
    };
    plugin.contribute(
      "self_check",
      referenceCheck(db, {
        name: "users/authors",
        title: "Every author and owner of an item is a user",
        references: () =>
          plugin
            .slot("content")
            .flatMap(({ table }) => [...authorReferences(table), { table, column: "owned_by", to: "users" }])
            .map((reference) => ({ ...reference, where: isSettled(reference) })),
        repair: "clear",
      }),
    );
    plugin.contribute("self_check", administratorCheck(db));
    for (const setting of registrationSettings(plugin.settings)) plugin.contribute("instance_setting", setting);
    const service: Users = {
      ref: refOf,
      viewer: context.viewerOf,
      async byPassword(email, password) {
        const found = await byPassword(db, email, password);
        return found && { id: found.id, isConfirmed: found.isConfirmed, seal: sha256(found.hash) };
      },
      // The store may be another plugin's view of a transaction, whose grants lack the tables of roles.
      guardedAdmin: (viewer, id, tx) => guardedAdmin(viewer, id, { db: tx.db.withoutPlugins() }),
      manageableUser: (viewer, id) => manageableUser(db, viewer, id),
      commonPassword: (password) => commonPasswordError(passwordCheck, password),
      needsConfirmation: () => needsConfirmation(plugin.contracts.instance_settings),
    };
    provide("users", service, { byPassword: "auth" });
    visibilityRule("users", () => true);
    for (const event of ["user_create", "user_update", "user_delete"] as const) {
      on(event, { inTransaction: (user, tx) => viewers.forget(tx, String(user.id)) });
    }
    // All viewers are forgotten: finding those with the role costs more than reading a viewer again, which is one statement.
    for (const event of ["role_update", "role_delete"] as const)
      on(event, { inTransaction: (_, tx) => viewers.forget(tx) });
    const reasonAgainst = async (change: { row?: User; draft: UserChange }, tx: EventTransaction) =>
      (await beyondScope(tx.viewer, change, tx)) ?? guardedChange(tx.viewer, change, tx);
    on("user_create", { veto: (draft, tx) => reasonAgainst({ draft }, tx) });
    on("user_update", { veto: reasonAgainst });
    on("user_delete", { veto: ({ row }, tx) => guardedAdmin(tx.viewer, row.id, tx) });
    on("app_boot", {
      async inTransaction(_, tx) {
        // Permissions of new plugins are granted to administrators, whom other processes may have cached.
        await viewers.forget(tx);
        const { hasUsers, transfers } = await bootState.executeTakeFirstOrThrow(tx.db, {});
        if (!hasUsers) await seedUsers({ email: adminEmail, password: adminPassword, check: passwordCheck }, tx);
        await resumeTransfers(transfers, tx);
      },
    });
    onStart(() => printPassword(db, (line) => void stdout.write(`${startLine(line, stdout.isTTY === true)}\n`)));
    handleMailJobs(context);
    registerTransfers(context);
    jobs.every("sweep links", SWEEP_MS, () => sweepLinks(db));
    const avatar = shippedFile(join(import.meta.dir, "public", "user_avatar.png"), "image/png");
    app.site.get("/user_avatar.png", ({ request }) => avatar(request.headers), { permit: "public" });
    mountMe(context);
    mountNewAddress(context);
    mountInvitations(context);
    mountPeople(context);
    mountUsers(context);
    mountPasswordLinks(context);
  },
});
