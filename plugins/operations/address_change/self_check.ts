import { Findings, type SelfCheck } from "lectern/contracts";
import { countRows } from "./changes.ts";
import type { AddressContext } from "./contract.ts";
import { textTables } from "./texts.ts";

/** The greatest number of former addresses that are looked for, those used last. */
const MAX_FORMER = 10;

/** The check that no text has an address that this instance was served at before. */
export function formerAddressesCheck(context: AddressContext): SelfCheck {
  return {
    name: "address_change/former",
    title: "No text has a former address of this instance",
    async check() {
      const findings = new Findings();
      const former = await context.db
        .selectFrom("served_addresses")
        .select("url")
        .where("url", "<>", context.baseUrl)
        .orderBy("used_at", "desc")
        .limit(MAX_FORMER)
        .execute();
      // Revisions are many times as large as all else, and have an address only where their item has or had it.
      const tables = former.length === 0 ? [] : (await textTables(context)).filter(({ isHistory }) => !isHistory);
      for (const { url } of former)
        for (const table of tables) {
          const count = await countRows(context, table, { old: url, new: context.baseUrl });
          if (count > 0) findings.add(`${table.label} with "${url}": ${count}`, count);
        }
      return findings.as(
        "warning",
        `If they mean this instance, run "app-url FORMER ${context.baseUrl}", first with --dry-run.`,
      );
    },
  };
}
