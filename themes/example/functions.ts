/**
 * An example theme: rejects pages that contain secrets, adds a field to webhook payloads, replaces a message, and adds a
 * command. Activate it with APP_THEME=example, or copy the folder.
 */
import { defineTheme, sql } from "lectern/core";
import type {} from "lectern/plugins";

/** Patterns of keys of common services. */
const SECRETS = [/AKIA[0-9A-Z]{16}/, /ghp_[A-Za-z0-9]{36}/, /-----BEGIN [A-Z ]*PRIVATE KEY-----/];

export default defineTheme({
  texts: { en: { ":noun not found": ":noun has moved, or never was" } },
  grants: { read: ["pages"] },
  commands: {
    stale: {
      summary: "lists the pages that were not changed for a number of months",
      usage: "[MONTHS]",
      store: true,
      async run([months = "12"], io, context) {
        if (!context || !/^\d{1,3}$/.test(months)) return 2;
        const { rows: found } = await sql<{ name: string; updated_at: string }>`select name, updated_at from pages
          where deleted_at is null and not draft
            and updated_at < now() - make_interval(months => ${Number(months)}::integer) order by updated_at`.execute(
          context.db,
        );
        for (const { name, updated_at } of found) io.out(`${updated_at.slice(0, 10)}  ${name}`);
        io.out(`${found.length} pages`);
        return 0;
      },
    },
  },
  setup({ listen, on }) {
    for (const event of ["page_create", "page_update"] as const)
      on(event, {
        veto(draft) {
          const { html = "", markdown = "" } = "draft" in draft ? draft.draft : draft;
          return SECRETS.some((secret) => secret.test(html) || secret.test(markdown))
            ? "This page seems to hold a secret key; take it out first"
            : undefined;
        },
      });
    listen("webhook_call", (payload) => ({ ...payload, source: "Example handbook" }));
  },
});
