/**
 * The account screens: profile, appearance, password, API tokens, sessions. What administrators manage, such as roles and the email
 * address, is only shown.
 */
import { definePlugin } from "lectern/core";
import { mountPassword } from "./password.ts";
import { mountProfile } from "./profile.ts";
import { mountSessions } from "./sessions.ts";
import { mountTokens, TOKENS_PERMIT } from "./tokens.ts";

const ENTRIES = [
  { path: "/my-account/profile", text: "Profile", icon: "user" },
  { path: "/my-account/auth", text: "Password", icon: "lock" },
  { path: "/my-account/tokens", text: "API tokens", icon: "key", needs: "/api/users/0/tokens", permit: TOKENS_PERMIT },
  { path: "/my-account/sessions", text: "Sessions", icon: "host" },
] as const;

export default definePlugin({
  name: "web_account",
  requires: ["users", "web"],
  setup(context) {
    const { contracts, contribute, app } = context;
    const { users, web } = contracts;
    const shared = { ...context, users, web };
    for (const [order, entry] of ENTRIES.entries())
      contribute("screen_part", { at: "menu/account", permit: "user", ...entry, order });
    const appearance = { path: "/my-account/profile", text: "Appearance", icon: "eye", permit: "user" } as const;
    contribute("screen_part", { at: "menu/palette", ...appearance });
    web.screen(app.site, "/my-account", "user", (visit) => visit.goTo("/my-account/profile"));
    mountProfile(shared);
    mountPassword(shared);
    mountTokens(shared);
    mountSessions(shared);
  },
});
