/**
 * The `Ui` that views get beside their data: texts, numbers, times and addresses for one reader. Numbers and times are written by `Intl` as
 * the language of the reader does; names within texts are isolated where they would turn what is round them. Times are those of the zone
 * that the reader has chosen; where none is, they are in UTC, and scripts put those of the browser in their place.
 */
import type { Ui } from "lectern/contracts";
import {
  directionOf,
  GUEST,
  hasPermission,
  html,
  keptByTag,
  localeTag,
  type PluginContext,
  raw,
  type Texts,
  type Viewer,
  writtenNumber,
} from "lectern/core";
import type { Icons } from "./icons.ts";

/** Dependencies of `createUi`. */
export interface UiOptions {
  readonly texts: Texts;
  readonly icons: Icons;
  /** The path of APP_URL without a final slash. */
  readonly root: string;
  readonly serves: PluginContext["runtime"]["serves"];
}

/** Creates the `Ui` for a viewer in a language. */
export function createUi({ texts, icons, root, serves }: UiOptions, viewer: Viewer, language: string): Ui {
  const isolate = directionOf(language) === "rtl" ? isolatedInRightToLeft : isolated;
  const write = (value: number) => writtenNumber(value, language, 1);
  const t: Ui["t"] = (text, params) =>
    texts.say(
      text,
      params &&
        Object.fromEntries(
          Object.entries(params).map(([name, value]) => [name, isolate(IDENTIFIERS.has(name) ? String(value) : value)]),
        ),
      language,
      write,
    );
  return Object.freeze({
    html,
    raw,
    t,
    icon: (name, label) => icons.draw(name, label),
    url: (path) => root + path,
    time(at) {
      const date = at ? new Date(at) : undefined;
      if (!date || Number.isNaN(date.getTime())) return html`–`;
      const utc = `${formatFor(language, UTC).format(date)} UTC`;
      // Scripts replace it by the time in the zone of the browser.
      if (viewer.timeZone === undefined) return html`<time datetime="${date.toISOString()}">${utc}</time>`;
      const own = formatFor(language, viewer.timeZone).format(date);
      return html`<time datetime="${date.toISOString()}" title="${utc}" data-local>${own}</time>`;
    },
    number: write,
    language,
    viewer,
    isViewer: (id) => id === viewer.id,
    isSignedIn: viewer !== GUEST && viewer.via !== "guest",
    may: (permission) => hasPermission(viewer, permission),
    serves: (path, method = "GET") => serves(method, path),
  } satisfies Ui);
}

/** Placeholders whose numbers name something, such as a revision, and are not counted: they are written as digits alone. */
const IDENTIFIERS: ReadonlySet<string> = new Set(["id", "number"]);

const UTC = "UTC";

/** The format of times in a language and a time zone, which a space separates. */
const formats = keptByTag((key) => {
  const [language = "", timeZone = UTC] = key.split(" ");
  return new Intl.DateTimeFormat([localeTag(language), "en"], { ...STYLE, timeZone: known(timeZone) });
});

function formatFor(language: string, timeZone: string): Intl.DateTimeFormat {
  return formats(`${language} ${timeZone}`);
}

const STYLE = { dateStyle: "medium", timeStyle: "short" } as const;

/** The zone, or UTC where the runtime does not know it any more. */
function known(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch {
    return UTC;
  }
}

const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/;

/**
 * Isolates a name within a text: bidirectional control characters in it, which could reorder the following text, end with it. Names without
 * such characters are returned unchanged.
 */
export function isolated<Value extends string | number>(value: Value): Value | string {
  if (typeof value === "number" || !DIRECTIONS.test(value)) return value;
  // An unmatched end character would close the isolation.
  let open = 0;
  const kept = value.replace(/[\u2066-\u2069]/g, (mark) => {
    if (mark !== "\u2069") open++;
    else if (open === 0) return "";
    else open--;
    return mark;
  });
  return `\u2068${kept}${"\u2069".repeat(open)}\u2069`;
}

/**
 * A name within a text from right to left: one in Latin letters is isolated too, as its signs at the ends, such as the bracket of
 * "Handbook (2nd edition)", would go to the other side of it.
 */
function isolatedInRightToLeft<Value extends string | number>(value: Value): Value | string {
  const own = isolated(value);
  const turns = typeof own === "string" && own === value && LATIN.test(own) && SIGN_AT_END.test(own);
  return turns ? `\u2068${own}\u2069` : own;
}

const LATIN = /[A-Za-z]/;
const SIGN_AT_END = /^[^\p{L}\p{N}]|[^\p{L}\p{N}]$/u;
