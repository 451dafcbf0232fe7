import { hasPermission, html } from "lectern/core";
import type { BackupContext } from "./contract.ts";

/** After what else the home page has. */
const ORDER = 90;

/**
 * Offers to restore a backup on the home page of an instance without content, to those who manage settings. It is done by a command and
 * not by an upload: archives contain code of the database, and a server cannot replace the tables that it works with.
 */
export function offerRestore(context: BackupContext): void {
  const { contribute } = context;
  contribute("screen_part", {
    at: "home/below",
    order: ORDER,
    async draw(_data, { viewer, ui: { t } }) {
      if (!hasPermission(viewer, "settings-manage") || !(await isEmpty(context))) return html``;
      return html`<section aria-labelledby="restore"><h2 id="restore">${t("Restore a backup")}</h2>
<p>${t("This instance is empty. The first command shows the date, the content and the version of a backup, and whether it fits this version; the second one restores it once the server is stopped.")}</p>
<pre><code>lectern backup --verify FILE
lectern restore FILE --replace</code></pre></section>`;
    },
  });
}

/** Whether there is no content, not even in the recycle bin. */
async function isEmpty({ db, slot }: BackupContext): Promise<boolean> {
  const present = new Set<string>(slot("content").map(({ table }) => table));
  const tables = (["books", "bookshelves"] as const).filter((table) => present.has(table));
  const found = await Promise.all(tables.map((table) => db.selectFrom(table).select("id").limit(1).executeTakeFirst()));
  return found.every((row) => row === undefined);
}
