/**
 * What browsers, search engines and other sites ask of an instance before anybody signs in: icons, manifest, the search for the address bar,
 * robots.txt, the sitemap, previews of links. All of it says the name of the instance, and of content what visitors may view alone.
 */
import { definePlugin, trimEndChars } from "lectern/core";
import { overAll } from "lectern/db";
import { mountChoices, readDiscovery } from "./choices.ts";
import type { DiscoveryContext } from "./contract.ts";
import { mountFiles } from "./files.ts";
import { migrations } from "./migrations.ts";
import { discoveryHead } from "./previews.ts";
import { mountSettings } from "./settings_screen.ts";
import { mountSitemap } from "./sitemap.ts";

export default definePlugin({
  name: "discovery",
  requires: ["access", "sessions", "system"],
  uses: ["web"],
  grants: { write: ["discovery"], contentTables: ["read"], read: ["books", "bookshelves", "chapters", "pages"] },
  optionalTables: ["books", "bookshelves", "chapters", "pages"],
  migrations,
  events: ["discovery_choose"],
  setup(plugin) {
    const { baseUrl, cache, contracts, contribute } = plugin;
    const db = overAll(plugin.db);
    const cached = cache.values("discovery", () => readDiscovery({ db }));
    const context: DiscoveryContext = {
      ...plugin,
      db,
      system: contracts.system,
      sessions: contracts.sessions,
      root: trimEndChars(new URL(baseUrl).pathname, "/"),
      chosen: () => cached.get(""),
    };
    mountFiles(context);
    mountSitemap(context);
    mountChoices(context, cached);
    if (!contracts.web) return;
    mountSettings(context, contracts.web);
    contribute("screen_head", discoveryHead(context));
    contribute("screen_part", {
      ...{ at: "menu/settings", path: "/settings/discovery", text: "Search engines", icon: "search", order: 76 },
      ...{ permit: ["settings-manage"], needs: "/api/discovery" },
    });
  },
});
