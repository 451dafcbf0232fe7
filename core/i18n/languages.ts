/**
 * The language of a reader: the user's choice (`wished`), else the first of Accept-Language that is among `known`; undefined
 * for neither, which means the default of the instance. A language with a region matches the plain one.
 * @example
 * chosenLanguage(viewer.language, request.headers.get("accept-language"), ["en", "de", "fr"]);
 */
export function chosenLanguage(
  wished: string | undefined,
  accepted: string | null,
  known: readonly string[],
): string | undefined {
  if (wished !== undefined && has(known, wished)) return wished;
  return accepted === null ? undefined : acceptedOf(accepted).find((tag) => has(known, tag));
}

function has(known: readonly string[], tag: string): boolean {
  const lower = tag.toLowerCase().replace("-", "_");
  return known.some((each) => {
    const name = each.toLowerCase().replace("-", "_");
    return name === lower || name === lower.split("_")[0];
  });
}

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
