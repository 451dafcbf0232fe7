/** Parts of other plugins on screens: what one of them may return, and the notice that some are missing. */
import type { MenuEntry, Ui } from "lectern/contracts";
import { callContributionNow, type Fault, HOUR_MS, Html, type HtmlPart, html } from "lectern/core";

/** How long after its last failure administrators read that a part is missing. */
const SHOWN_MS = HOUR_MS;
/** Plugins that the notice names. */
const MAX_NAMED = 5;

/** What a part returned, if it can be shown. Throws for anything else, such as an object. */
export function drawable(part: unknown): HtmlPart {
  const isShown = part === null || ["string", "number", "boolean", "undefined"].includes(typeof part);
  if (isShown || part instanceof Html) return part as HtmlPart;
  if (Array.isArray(part)) return part.map(drawable);
  // Of a view that should have answered at once; its rejection would be unhandled.
  if (part instanceof Promise) part.catch(() => {});
  throw new Error(
    `It returned ${typeof part === "object" ? "an object" : `a ${typeof part}`}; expected html\`…\` or text`,
  );
}

/** What a part returned at once, if it is a text. Throws for anything else. */
export function textOf(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  // Of a function that should have answered at once; its rejection would be unhandled.
  if (value instanceof Promise) value.catch(() => {});
  throw new Error(`Its ${what} is no text`);
}

/** Entries of a menu that lead the viewer somewhere; one that cannot be shown is left out. */
export function shownEntries(entries: readonly MenuEntry[], isServed: (entry: MenuEntry) => boolean): MenuEntry[] {
  const isShown = (entry: MenuEntry) => {
    const { path, text, icon } = entry;
    if ([path, text, icon].some((each) => typeof each !== "string"))
      throw new Error("Cannot show an entry of a menu: its path, text or icon is no text");
    return isServed(entry);
  };
  return entries.filter((entry) => callContributionNow(entry, isShown, entry.at) === true);
}

/** The notice for administrators that parts of plugins were left out; nothing without such faults. */
export function faultNotice(faults: readonly Fault[], ui: Ui): Html | undefined {
  if (!ui.may("settings-manage")) return undefined;
  const since = Date.now() - SHOWN_MS;
  const plugins = [...new Set(faults.filter(({ last }) => last.getTime() > since).map(({ plugin }) => plugin))];
  if (plugins.length === 0) return undefined;
  const names = plugins.slice(0, MAX_NAMED).join(", ") + (plugins.length > MAX_NAMED ? " …" : "");
  const text = ui.t("Parts of these plugins failed and are missing: :names", { names });
  return html`<p class="notice bad" role="status">${ui.icon("warning")} ${text} · <a href="${ui.url("/settings/system")}#faults">${ui.t("System and plugins")}</a></p>`;
}
