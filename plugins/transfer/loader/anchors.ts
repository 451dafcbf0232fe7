const HEADING = /<h([1-6])\b[^>]*?\sid="([^"]*)"[^>]*>([\s\S]*?)<\/h\1>/gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

/**
 * The ids a server gave to the headings of a page, by the anchors authors write (lower case, dashes, no signs), since
 * servers of this API make ids of their own (content-api 9.2). The first of two equal headings wins.
 */
export function anchorsOf(html: string): Record<string, string> {
  const anchors: Record<string, string> = {};
  for (const [, , id = "", inner = ""] of html.matchAll(HEADING)) {
    const text = inner.replace(/<[^>]*>/g, "").replace(/&([\w#]+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
    for (const anchor of [anchorOf(text), dashedAnchorOf(text)])
      if (anchor !== "" && !Object.hasOwn(anchors, anchor)) anchors[anchor] = id;
  }
  return anchors;
}

/** The anchor of a heading as the usual documentation systems make it: "Linux & more" is `linux-more`. */
export function anchorOf(text: string): string {
  return signless(text).replace(/\s+/g, "-");
}

/** The same as forges such as GitHub make it, a dash for every blank: `linux--more`. */
function dashedAnchorOf(text: string): string {
  return signless(text).replace(/\s/g, "-");
}

function signless(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "");
}
