import type { SessionsContext } from "./contract.ts";

/** Contributes the theme hook of sign-ins. */
export function contributeThemeHooks({ contribute }: Pick<SessionsContext, "contribute">): void {
  contribute("theme_hook", {
    name: "auth_login",
    attach: (handler, { on }) =>
      on("auth_login", {
        async notify(_result, { draft: { method, user } }) {
          await handler(method, user);
        },
      }),
  });
}

declare module "lectern/core" {
  interface ThemeHooks {
    /** A user signed in; requests with tokens are none. */
    auth_login: (method: string, user: { id: number; name: string; slug: string }) => void | Promise<void>;
  }
}
