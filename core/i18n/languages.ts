/**
 * Language tags: which catalogue a reader gets, and what `Intl` makes of a tag. Tags come from browsers ("zh-CN"), from users' settings,
 * which old clients write in the original's way ("zh_CN", "pt_BR", "de_informal"), and from names of catalogues ("zh-Hans"). Catalogues
 * are compared with a tag by language, script and region, each completed as Unicode suggests: "zh-CN" is written as "zh-Hans", "pt" is most
 * likely "pt-BR".
 */

/** A tag in its parts; the script is the usual one where the tag names none. */
interface Parts {
  readonly language: string;
  readonly script?: string | undefined;
  readonly region?: string | undefined;
}

/** Values that are kept by tag: browsers name a few hundred languages and regions, other clients what they like. */
const MAX_KEPT = 500;

const parts = keptByTag((tag): Parts => {
  try {
    const { language, script, region } = new Intl.Locale(tag.replaceAll("_", "-")).maximize();
    return { language, script, region };
  } catch {
    return { language: plain(tag) };
  }
});

/**
 * The language of a reader: the user's choice (`wished`), else the first of Accept-Language that is among `known`; undefined
 * for neither, which means the default of the instance. A tag is kept with its region, by which numbers and dates are written, unless
 * the nearest of `known` has another script.
 * @example
 * chosenLanguage(viewer.language, request.headers.get("accept-language"), ["en", "de", "fr"]);
 */
export function chosenLanguage(
  wished: string | undefined,
  accepted: string | null,
  known: readonly string[],
): string | undefined {
  const own = wished === undefined ? undefined : spoken(wished, known);
  if (own !== undefined || accepted === null) return own;
  for (const tag of acceptedOf(accepted)) {
    const found = spoken(tag, known);
    if (found !== undefined) return found;
  }
  return undefined;
}

function spoken(tag: string, known: readonly string[]): string | undefined {
  if (known.includes(tag)) return tag;
  const [nearest] = nearestOf(tag, known);
  if (nearest === undefined || parts(nearest).script === parts(tag).script) return nearest && tag;
  return nearest;
}

/**
 * Those of `known` that a reader of a language can read, nearest first: the same tag, the plain language, the same script and region,
 * the same script, another script.
 * @example
 * nearestOf("pt_PT", ["en", "pt-BR"]); // ["pt-BR"]
 */
export function nearestOf(tag: string, known: readonly string[]): string[] {
  const wanted = parts(tag);
  const distance = (each: string): number => {
    if (folded(each) === folded(tag)) return 0;
    if (folded(each) === plain(tag)) return 1;
    const found = parts(each);
    if (found.language !== wanted.language) return Number.POSITIVE_INFINITY;
    if (found.script !== wanted.script) return 4;
    return found.region === wanted.region ? 2 : 3;
  };
  return known
    .map((each) => ({ each, far: distance(each) }))
    .filter(({ far }) => Number.isFinite(far))
    .sort((a, b) => a.far - b.far)
    .map(({ each }) => each);
}

function folded(tag: string): string {
  return tag.toLowerCase().replaceAll("_", "-");
}

function plain(tag: string): string {
  return folded(tag).split("-")[0] ?? "";
}

/**
 * The tag of a language as `Intl` and HTML take it, such as "de-AT" for "de_AT"; "en" for one that is none.
 * @example
 * new Intl.ListFormat(localeTag("de_AT")).format(["Anna", "Ben"]); // Anna und Ben
 */
export const localeTag = keptByTag((language): string => {
  try {
    return Intl.getCanonicalLocales(language.replaceAll("_", "-"))[0] ?? "en";
  } catch {
    return "en";
  }
});

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(["adlm", "arab", "hebr", "mand", "nkoo", "rohg", "syrc", "thaa"]);

/**
 * The direction of texts in a language: that of the script that it is usually written in.
 * @example
 * directionOf("he"); // rtl
 */
export function directionOf(language: string): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.has(parts(language).script?.toLowerCase() ?? "") ? "rtl" : "ltr";
}

/**
 * A number as a language writes it, with at most `digits` decimals (0 unless given).
 * @example
 * writtenNumber(1234, "de"); // 1.234
 */
export function writtenNumber(value: number, language: string, digits = 0): string {
  return numberFormats(language)(digits).format(value);
}

const numberFormats = keptByTag((language) => {
  const formats: Intl.NumberFormat[] = [];
  return (digits: number) =>
    (formats[digits] ??= new Intl.NumberFormat([localeTag(language), "en"], { maximumFractionDigits: digits }));
});

/**
 * A day as a language writes it; what is no day, such as the text of a search, is returned as it is.
 * @example
 * writtenDay("2026-01-31", "de"); // 31.01.2026
 */
export function writtenDay(day: string, language: string): string {
  const date = /^\d{4}-\d\d-\d\d$/.test(day) ? new Date(day) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? day : dayFormat(language).format(date);
}

const dayFormat = keptByTag(
  (language) => new Intl.DateTimeFormat([localeTag(language), "en"], { dateStyle: "medium", timeZone: "UTC" }),
);

/** Characters of the header that are read. */
const MAX_HEADER = 1_000;

/** The languages of an Accept-Language header, best first. */
export function acceptedOf(header: string | null): string[] {
  return (header ?? "")
    .slice(0, MAX_HEADER)
    .split(",")
    .map((part) => {
      const [tag = "", ...params] = part.split(";").map((piece) => piece.trim());
      const quality = params.find((param) => param.startsWith("q="));
      return { tag, weight: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ tag, weight }) => /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/.test(tag) && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}

/**
 * A function of a tag that keeps its results, as `Intl` takes longer to make a format than a screen to be drawn.
 * @example
 * const months = keptByTag((tag) => new Intl.DateTimeFormat(localeTag(tag), { month: "long" }));
 * months("de_AT").format(new Date("2026-01-31")); // Jänner
 */
export function keptByTag<Result>(make: (tag: string) => Result): (tag: string) => Result {
  const kept = new Map<string, { readonly result: Result }>();
  return (tag) => {
    const known = kept.get(tag);
    if (known) return known.result;
    const result = make(tag);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(tag, { result });
    return result;
  };
}
