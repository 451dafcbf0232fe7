import type { Activity } from "lectern/contracts";
import type { AuditLogContext } from "./contract.ts";

/** Contributes the theme hook of recorded activities. */
export function contributeThemeHooks({ contribute }: Pick<AuditLogContext, "contribute">): void {
  contribute("theme_hook", {
    name: "activity_logged",
    attach: (handler, { on }) =>
      on("activity_log", {
        async notify(activity) {
          await handler(activity.type, activity.item ? activity : (activity.detail ?? ""));
        },
      }),
  });
}

declare module "lectern/core" {
  interface ThemeHooks {
    /** A row of the audit log was written; an activity about an item of content is given whole, any other as its text. */
    activity_logged: (type: string, detail: string | Activity) => void | Promise<void>;
  }
}
