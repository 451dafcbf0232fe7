/** What views have beside their data, made for each reader. */
import type { Ui } from "lectern/contracts";
import { GUEST, hasPermission, html, raw, type Texts, type Viewer } from "lectern/core";
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
  const t: Ui["t"] = (text, params = {}) =>
    texts.say(
      text,
      Object.fromEntries(Object.entries(params).map(([name, value]) => [name, isolated(value)])),
      language,
    );
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
    isSignedIn: viewer !== GUEST && viewer.via !== "guest",
    may: (permission) => hasPermission(viewer, permission),
  };
}

const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/;

/**
 * A name within a sentence or a title, where no element stands around it: marks of direction in it, which may turn what
 * follows, end with it. Most names have none, and stay as they are.
 */
export function isolated<Value extends string | number>(value: Value): Value | string {
  if (typeof value === "number" || !DIRECTIONS.test(value)) return value;
  // An end without a beginning would close the isolation itself.
  let open = 0;
  const kept = value.replace(/[\u2066-\u2069]/g, (mark) => {
    if (mark !== "\u2069") open++;
    else if (open === 0) return "";
    else open--;
    return mark;
  });
  return `\u2068${kept}${"\u2069".repeat(open)}\u2069`;
}

/** A tag that `Intl` knows: languages are named by operators and users, who may write "de_AT". */
function localeOf(language: string): string {
  try {
    return Intl.getCanonicalLocales(language.replace("_", "-"))[0] ?? "en";
  } catch {
    return "en";
  }
}
