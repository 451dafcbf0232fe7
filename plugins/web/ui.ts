/** What views have beside their data, made for each reader. */
import { holds, html, NOBODY, raw, type Texts, type Ui, type Viewer } from "lectern/core";
import type { Icons } from "./icons.ts";

/** What making it needs of the plugin. */
export interface UiParts {
  readonly texts: Texts;
  readonly icons: Icons;
  /** The path of APP_URL without a final slash. */
  readonly root: string;
}

/** Makes what views have for a reader in a language. */
export function uiOf({ texts, icons, root }: UiParts, viewer: Viewer, language: string): Ui {
  const t: Ui["t"] = (text, params = {}) => texts.say(text, params, language);
  const format = new Intl.DateTimeFormat(localeOf(language), {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  });
  return {
    html,
    raw,
    t,
    icon: (name, label) => icons.draw(name, label),
    url: (path) => root + path,
    time(at) {
      const date = at ? new Date(at) : undefined;
      if (!date || Number.isNaN(date.getTime())) return html`–`;
      // Scripts, where they run, show it in the reader's own time zone.
      return html`<time datetime="${date.toISOString()}">${format.format(date)} UTC</time>`;
    },
    language,
    viewer,
    isSignedIn: viewer !== NOBODY && viewer.via !== "guest",
    may: (permission) => holds(viewer, permission),
  };
}

/** A tag that `Intl` knows: languages are named by operators and users, who may write "de_AT". */
function localeOf(language: string): string {
  try {
    return Intl.getCanonicalLocales(language.replace("_", "-"))[0] ?? "en";
  } catch {
    return "en";
  }
}
