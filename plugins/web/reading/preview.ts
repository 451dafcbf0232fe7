import type { ScreenPreview, Ui } from "lectern/contracts";
import type { ReadingContext } from "./contract.ts";

/** Characters of the text that is shown of a link. */
const MAX_TEXT = 200;
/** Characters of HTML that are looked at. */
const MAX_HTML = 20_000;
const NAMES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" };

/** What is shown of a link to an item: a text or the HTML of the API, and a picture. Nothing for who is signed in, who needs none. */
export function previewOf(
  { baseUrl }: Pick<ReadingContext, "baseUrl">,
  {
    text,
    markup,
    picture,
  }: { readonly text?: string; readonly markup?: string; readonly picture?: string | undefined },
  ui: Ui,
): ScreenPreview | undefined {
  if (ui.isSignedIn) return undefined;
  const begin = markup?.slice(0, MAX_HTML) ?? "";
  // The end may be a tag that was cut.
  const plain = (text ?? begin.replace(/<[^>]*(?:>|$)/g, " ").replace(/&(#?\w+);/g, (all, name) => NAMES[name] ?? all))
    .replace(/\s+/g, " ")
    .trim();
  return { description: shortened(plain), image: addressOf(picture ?? pictureIn(begin), baseUrl) };
}

function shortened(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const cut = text.slice(0, MAX_TEXT);
  const end = cut.lastIndexOf(" ");
  return `${(end > MAX_TEXT / 2 ? cut.slice(0, end) : cut).toWellFormed()} …`;
}

function pictureIn(markup: string): string | undefined {
  const [, attributes = ""] = /<img\b([^<>]*)>/.exec(markup) ?? [];
  return /\ssrc="([^"]*)"/.exec(attributes)?.[1]?.replaceAll("&amp;", "&");
}

/** The absolute address of a picture; undefined for one that is in the page itself. */
function addressOf(picture: string | undefined, baseUrl: string): string | undefined {
  const url = picture === undefined ? null : URL.parse(picture, baseUrl);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
