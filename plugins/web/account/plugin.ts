/**
 * What people set for themselves: name and language, light or dark, password, API tokens, and where they are signed in. What
 * others give them, such as roles and the address they sign in with, is shown and not changed here.
 */
import { definePlugin } from "lectern/core";
import { mountPassword } from "./password.ts";
import { mountProfile } from "./profile.ts";
import { mountSessions } from "./sessions.ts";
import { mountTokens } from "./tokens.ts";

const ENTRIES = [
  { path: "/my-account/profile", text: "Profile", icon: "user" },
  { path: "/my-account/auth", text: "Password", icon: "lock" },
  { path: "/my-account/tokens", text: "API tokens", icon: "key" },
  { path: "/my-account/sessions", text: "Sessions", icon: "host" },
] as const;

export default definePlugin({
  name: "web_account",
  requires: ["users", "web"],
  setup(context) {
    const { contracts, contribute, site, texts } = context;
    const { web } = contracts;
    for (const [order, entry] of ENTRIES.entries())
      contribute("menu", { menu: "account", ...entry, admits: "user", order });
    web.screen(site, "/my-account", "user", (visit) => visit.goTo("/my-account/profile"));
    mountProfile(site, web, texts);
    mountPassword(site, web, contracts.users);
    mountTokens(site, web);
    mountSessions(site, web);
  },
});
