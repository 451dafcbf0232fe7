/** The list of what would change, in notices and dialogs. */
import type { Difference } from "./compare.ts";
import { filled, make, type Texts } from "./screen.ts";

const SHOWN_DIFFERENCES = 5;

/** Lists the first differences, and says how many more there are. */
export function changeList(changes: readonly Difference[], texts: Texts): HTMLElement {
  const rest = changes.length - SHOWN_DIFFERENCES;
  return make(
    "div",
    { class: "rich-changes", tabindex: "0", role: "region", "aria-label": texts.changesTitle },
    ...changes
      .slice(0, SHOWN_DIFFERENCES)
      .flatMap(({ before, after }) => [
        before !== "" && make("pre", {}, make("del", {}, before)),
        after !== "" && make("pre", {}, make("ins", {}, after)),
      ]),
    rest > 0 && make("p", {}, filled(texts.more, { count: String(rest) })),
  );
}
