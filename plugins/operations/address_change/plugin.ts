/**
 * The address of the instance. Texts contain it, in links and pictures: the command `app-url` replaces it where the instance
 * moves to another one, and `doctor` finds texts with addresses that it was served at before.
 */
import { definePlugin, sql } from "lectern/core";
import { appUrlCommand } from "./command.ts";
import type { AddressContext } from "./contract.ts";
import { migrations } from "./migrations.ts";
import { formerAddressesCheck } from "./self_check.ts";

export default definePlugin({
  name: "address_change",
  grants: {
    write: ["served_addresses", "page_revisions", "page_drafts", "comments", "attachments", "activities"],
    columns: { users: ["id", "system_name"] },
    contentTables: ["write"],
    system: true,
  },
  optionalTables: ["page_revisions", "page_drafts", "comments", "attachments", "activities", "users"],
  migrations,
  events: ["address_replace"],
  commands: { "app-url": appUrlCommand },
  setup(context) {
    const { baseUrl, contribute, db, onStart } = context;
    // It asks any table by name, as the slot `content` gives them.
    contribute("self_check", formerAddressesCheck(context as unknown as AddressContext));
    onStart(async () => {
      await db
        .insertInto("served_addresses")
        .values({ url: baseUrl })
        .onConflict((conflict) => conflict.column("url").doUpdateSet({ used_at: sql`clock_timestamp()` }))
        .execute();
    });
  },
});
