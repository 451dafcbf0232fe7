/**
 * Extracts images that are embedded as base64 data URLs (content-api 9.5): each is passed to `saveImage`, and its data URL
 * is replaced by the URL of the saved image. In Markdown, the source is replaced as well, since an image that stays in the
 * source would be saved again with every save. Only the first bytes of an image are checked here.
 */
import type { EmbeddedPicture } from "lectern/contracts";
import { sniff } from "lectern/core";
import { maxImageBytes } from "./limits.ts";
import { attributeOf, type Element, eachElement, type Parent, setAttribute } from "./tree.ts";

/**
 * Saves an image and returns its URL, undefined if it is not saved. `source` is the data URL that then stays in the
 * Markdown; without it the URL becomes empty.
 */
type SaveImage = (image: EmbeddedPicture, source?: string) => Promise<string | undefined>;

/** The start of data URLs of images. */
const PREFIX = "data:image";
const EXTENSIONS = new Set(["jpg", "jpeg", "png", "gif", "webp", "avif"]);

/** Replaces data URLs in `img` elements by the URLs of the saved images, or by "". Changes the tree. */
export async function extractImages(root: Parent, saveImage?: SaveImage): Promise<void> {
  for (const [element, src] of imagesIn(root)) setAttribute(element, "src", await savedUrl(src, saveImage));
}

function imagesIn(root: Parent): [Element, string][] {
  const found: [Element, string][] = [];
  eachElement(root, (element) => {
    const src = element.tagName === "img" ? attributeOf(element, "src") : undefined;
    if (src?.includes(PREFIX)) found.push([element, src]);
  });
  return found;
}

/**
 * The same for a tree that was converted from Markdown, where images may be written in more ways than
 * `extractMarkdownImages` knows: as raw HTML, as references, with alternative texts of several lines. Returns the Markdown
 * with the URLs replaced as well. An image whose data URL is not found in the Markdown is not saved, since it would be
 * saved again with every save. Data of other types, such as SVG, stays as in BookStack; the sanitiser removes it from what
 * is shown.
 */
export async function extractRenderedImages(root: Parent, markdown: string, saveImage?: SaveImage): Promise<string> {
  const found = imagesIn(root).filter(([, src]) => EXTENSIONS.has(extensionOf(src)));
  if (found.length === 0) return markdown;
  const occurrences = occurrencesOf(markdown, new Set(found.map(([, src]) => withoutSpace(src))));
  const inMarkdown = new Set(occurrences.map(({ data }) => data));
  const urls = new Map<string, string>();
  for (const [element, src] of found) {
    const key = withoutSpace(src);
    if (!urls.has(key)) urls.set(key, inMarkdown.has(key) ? await savedUrl(src, saveImage, key) : "");
    setAttribute(element, "src", urls.get(key) ?? "");
  }
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, data } of occurrences) {
    const url = urls.get(data) ?? "";
    if (url === "") continue;
    parts.push(markdown.slice(done, start), url);
    done = end;
  }
  return [...parts, markdown.slice(done)].join("");
}

interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly data: string;
}

/** A data URL without the white space that is allowed within it. */
function withoutSpace(src: string): string {
  return src.replace(/\s+/g, "");
}

/** The occurrences of data URLs in a text. Each ends at white space or, if that is no match, at the end of the quoted text. */
function occurrencesOf(text: string, wanted: ReadonlySet<string>): Occurrence[] {
  const occurrences: Occurrence[] = [];
  let next = text.indexOf(PREFIX);
  while (next >= 0) {
    const start = next;
    next = text.indexOf(PREFIX, start + 1);
    const quoted = /^[^"'()<>]*/.exec(text.slice(start, next < 0 ? text.length : next))?.[0] ?? "";
    for (const candidate of [/^\S*/.exec(quoted)?.[0] ?? "", quoted]) {
      const data = withoutSpace(candidate);
      if (!wanted.has(data)) continue;
      occurrences.push({ start, end: start + candidate.length, data });
      break;
    }
  }
  return occurrences;
}

/** Replaces data URLs in Markdown images such as `![alt](data:image/png;base64,…)`. Data ends at `)`, white space or `"`. */
export async function extractMarkdownImages(markdown: string, saveImage?: SaveImage): Promise<string> {
  const parts: string[] = [];
  let done = 0;
  for (const match of markdown.matchAll(/data:image\/[^\s,;)"]{1,6};base64,[^)\s"]*/g)) {
    if (!opensImage(markdown, done, match.index)) continue;
    parts.push(markdown.slice(done, match.index), await savedUrl(match[0], saveImage));
    done = match.index + match[0].length;
  }
  parts.push(markdown.slice(done));
  return parts.join("");
}

/** Whether `![…](` precedes `end` on the same line, after `start`. */
function opensImage(markdown: string, start: number, end: number): boolean {
  const line = markdown.slice(Math.max(start, markdown.lastIndexOf("\n", end) + 1, end - 10_000), end);
  const image = line.indexOf("![");
  return image >= 0 && line.indexOf("](", image) >= 0;
}

async function savedUrl(dataUrl: string, saveImage: SaveImage | undefined, source?: string): Promise<string> {
  const image = saveImage && decodeImage(dataUrl);
  return (image && (await saveImage(image, source))) ?? "";
}

/** Decodes the data URL of an image; undefined if type, encoding, content or size are not those of content-api 9.5. */
export function decodeImage(dataUrl: string): EmbeddedPicture | undefined {
  const extension = extensionOf(dataUrl);
  if (!EXTENSIONS.has(extension)) return undefined;
  const base64 = dataUrl.slice(dataUrl.indexOf(",") + 1).replace(/\s+/g, "");
  if (base64.length * 0.75 > maxImageBytes + 2 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(base64)) return undefined;
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  return bytes.length <= maxImageBytes && sniff(bytes) ? { bytes, extension } : undefined;
}

/** The subtype of a data URL. */
function extensionOf(dataUrl: string): string {
  return (dataUrl.slice(0, Math.max(dataUrl.indexOf(","), 0)).split(/[/;]/)[1] ?? "").toLowerCase();
}
