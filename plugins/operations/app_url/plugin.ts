/**
 * The address of the instance. Texts contain it, in links and pictures: the command `app-url` replaces it where the instance
 * moves to another one, and `doctor` finds texts with addresses that it was served at before.
 */
import { definePlugin, sql } from "lectern/core";
import { appUrlCommand } from "./command.ts";
import type { AppUrlContext } from "./contract.ts";
import { migrations } from "./migrations.ts";
import { formerAddressesCheck } from "./self_check.ts";

export default definePlugin({
  name: "app_url",
  permissions: {
    write: ["app_urls", "page_revisions", "page_drafts", "comments", "attachments", "activities"],
    columns: { users: ["id", "system_name"] },
    contentTables: ["write"],
    slots: ["self_check"],
    system: true,
  },
  optionalTables: ["page_revisions", "page_drafts", "comments", "attachments", "activities", "users"],
  migrations,
  events: ["app_url_change"],
  commands: { "app-url": appUrlCommand },
  setup(context) {
    const { baseUrl, contribute, db, onStart } = context;
    contribute("self_check", formerAddressesCheck(context as unknown as AppUrlContext));
    onStart(async () => {
      await db
        .insertInto("app_urls")
        .values({ url: baseUrl })
        .onConflict((conflict) => conflict.column("url").doUpdateSet({ used_at: sql`clock_timestamp()` }))
        .execute();
    });
  },
});
