/** The theme hook of calls: the first handler that returns a payload decides it, as in the original. */
import type { Payload, WebhooksContext } from "./contract.ts";

/** Marks a call whose payload a theme has replaced; filters that copy the call keep it. */
const REPLACED = Symbol("replaced");

/** Contributes the hook. */
export function contributeThemeHooks({ contribute }: Pick<WebhooksContext, "contribute">): void {
  contribute("theme_hook", {
    name: "webhook_call_before",
    attach: (handler, { on }) =>
      on("webhook_call_before", {
        async filter(call) {
          if (REPLACED in call) return undefined;
          const { event, webhook, detail, initiator, time } = call;
          const payload = await handler(event, webhook, detail, initiator, time);
          if (payload === undefined || payload === null) return undefined;
          // An invalid payload is ignored when it is recorded.
          const replaced = { ...call, payload: payload as Payload, [REPLACED]: true };
          return replaced;
        },
      }),
  });
}

declare module "lectern/core" {
  interface ThemeHooks {
    /**
     * Before each delivery of a webhook; `detail` is the item as listings show it, or the text of the audit log. The first payload
     * that is returned is sent.
     */
    webhook_call_before: (
      event: string,
      webhook: { readonly id: number; readonly name: string; readonly endpoint: string },
      // biome-ignore lint/suspicious/noExplicitAny: any kind of item, untyped for themes of the original
      detail: any,
      initiator: { readonly id: number; readonly name: string; readonly slug: string },
      unixTime: number,
    ) => Record<string, unknown> | undefined | Promise<Record<string, unknown> | undefined>;
  }
}
