/**
 * The account screens: profile, e-mail address, appearance, password, API tokens, sessions, and the deletion of the account. What
 * administrators manage, such as roles, is only shown.
 */
import { definePlugin } from "lectern/core";
import { mountAddress } from "./address.ts";
import { mountLeave } from "./leave.ts";
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
  uses: ["mail"],
  setup(context) {
    const { contracts, contribute, app } = context;
    const { mail, users, web } = contracts;
    const shared = { ...context, users, web, sendsMail: () => mail?.isConfigured === true };
    for (const [order, entry] of ENTRIES.entries())
      contribute("screen_part", { at: "menu/account", permit: "user", ...entry, order });
    const appearance = { path: "/my-account/profile", text: "Appearance", icon: "eye", permit: "user" } as const;
    contribute("screen_part", { at: "menu/palette", ...appearance });
    web.screen(app.site, "/my-account", "user", (visit) => visit.goTo("/my-account/profile"));
    mountProfile(shared);
    mountAddress(shared);
    mountLeave(shared);
    mountPassword(shared);
    mountTokens(shared);
    mountSessions(shared);
  },
});
