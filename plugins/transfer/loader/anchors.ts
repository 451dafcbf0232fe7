const HEADING = /<h([1-6])\b[^>]*?\sid="([^"]*)"[^>]*>([\s\S]*?)<\/h\1>/gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

/**
 * Maps the anchors that authors write (lower case, dashes, no punctuation) to the ids of a page's headings, which servers of
 * this API generate (content-api 9.2). The first of two equal headings wins.
 */
export function anchorsOf(html: string): Record<string, string> {
  const anchors: Record<string, string> = {};
  for (const [, , id = "", inner = ""] of html.matchAll(HEADING)) {
    const text = inner.replace(/<[^>]*>/g, "").replace(/&([\w#]+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
    for (const anchor of [anchorOf(text), forgeAnchorOf(text)])
      if (anchor !== "" && !Object.hasOwn(anchors, anchor)) anchors[anchor] = id;
  }
  return anchors;
}

/** The anchor of a heading as most documentation systems generate it: "Linux & more" is `linux-more`. */
export function anchorOf(text: string): string {
  return withoutPunctuation(text).replace(/\s+/g, "-");
}

/** The anchor as GitHub and other forges generate it, with a dash for every space: `linux--more`. */
function forgeAnchorOf(text: string): string {
  return withoutPunctuation(text).replace(/\s/g, "-");
}

function withoutPunctuation(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "");
}
