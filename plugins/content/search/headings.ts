const OPENING = /<h[1-6][\s>]/gi;
/** Tags and character references. No alternative matches a second `<` or `&`, so matching takes linear time. */
const MARKUP = /<[^<>]*>|&[a-z0-9#]{1,10};/gi;
/** The start of a tag that was cut off. */
const CUT_TAG = /<[^<>]*$/;
/** Maximum length of the result. */
const MAX_HEADINGS = 20_000;
/** Maximum characters of HTML that are read of one heading. */
const MAX_HEADING_HTML = 40_000;

/** The text of the headings in HTML that the markup serialiser wrote, one per line, in linear time. */
export function headingsIn(html: string): string {
  let headings = "";
  OPENING.lastIndex = 0;
  for (let found = OPENING.exec(html); found && headings.length < MAX_HEADINGS; found = OPENING.exec(html)) {
    const end = html.indexOf("</h", OPENING.lastIndex);
    if (end < 0) break;
    const heading = html.slice(found.index, Math.min(end, found.index + MAX_HEADING_HTML));
    headings += `${heading.replace(MARKUP, " ").replace(CUT_TAG, "")}\n`;
    OPENING.lastIndex = end;
  }
  return headings.slice(0, MAX_HEADINGS);
}
