import { type DocumentHead, withNonces } from "lectern/contracts";
import { callContributionNow, type Html, type HtmlPart, html } from "lectern/core";
import { drawable } from "./added_parts.ts";
import type { ShellContext } from "./contract.ts";

/** Where administrators mend what they have added, so nothing of it is there. */
const WITHOUT = /^\/settings(?:\/|$)/;

/** The markup at the end of the head: of themes and plugins, and what administrators have added. It has the nonce of its document. */
export class HeadMarkup {
  readonly #context: Pick<ShellContext, "contracts" | "slot">;
  #contributed: readonly DocumentHead[] | undefined;
  #parsed: { readonly markup: string; readonly draw: (nonce: string) => Html } | undefined;

  constructor(context: Pick<ShellContext, "contracts" | "slot">) {
    this.#context = context;
  }

  /** Whether there is any on a path, so that the policy has to allow scripts by a nonce. */
  isOn(path: string): boolean {
    return this.#contributions().length > 0 || this.#added(path) !== undefined;
  }

  /** The markup on a path. */
  drawn(path: string, nonce: string): HtmlPart {
    const contributed = this.#contributions().map((each) =>
      callContributionNow(each, ({ draw }) => html`${drawable(draw?.(nonce))}\n`),
    );
    return html`${contributed}${this.#added(path)?.(nonce)}`;
  }

  /** Contributions with markup; complete once the runtime has booted. */
  #contributions(): readonly DocumentHead[] {
    this.#contributed ??= this.#context.slot("document_head").filter(({ draw }) => draw !== undefined);
    return this.#contributed;
  }

  /** What draws that of administrators; undefined for none. */
  #added(path: string): ((nonce: string) => Html) | undefined {
    const markup = this.#context.contracts.instance_settings.value("app_custom_head");
    if (markup === "" || WITHOUT.test(path)) return undefined;
    if (this.#parsed?.markup !== markup) this.#parsed = { markup, draw: withNonces(markup) };
    return this.#parsed.draw;
  }
}
