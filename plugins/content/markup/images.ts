/**
 * Pictures that stand in a text as base64 (content-api 9.5): each is handed to whoever keeps pictures, and its address
 * takes the place of the data. In Markdown the source has to change along with what is made of it; what stayed there
 * would be kept again with every save. Whether bytes are a good picture is not judged here beyond how they begin.
 */
import type { EmbeddedPicture } from "lectern/contracts";
import { sniff } from "lectern/core";
import { maxImageBytes } from "./limits.ts";
import { attributeOf, type Element, eachElement, type Parent, setAttribute } from "./tree.ts";

/** `written` is what stays in the Markdown where the picture is not kept; nothing does where it is absent. */
type SaveImage = (picture: EmbeddedPicture, written?: string) => Promise<string | undefined>;

/** What the address of a picture begins with that is no address. */
const PREFIX = "data:image";
const EXTENSIONS = new Set(["jpg", "jpeg", "png", "gif", "webp", "avif"]);

/** Replaces base64 pictures in `img` elements by the URL they are saved under, or by nothing. Changes the tree. */
export async function extractImages(root: Parent, saveImage?: SaveImage): Promise<void> {
  for (const [element, src] of picturesIn(root)) setAttribute(element, "src", await savedUrl(src, saveImage));
}

function picturesIn(root: Parent): [Element, string][] {
  const found: [Element, string][] = [];
  eachElement(root, (element) => {
    const src = element.tagName === "img" ? attributeOf(element, "src") : undefined;
    if (src?.includes(PREFIX)) found.push([element, src]);
  });
  return found;
}

/**
 * The same for a tree that was made of Markdown, where pictures may be written in more ways than
 * `extractMarkdownImages` knows: as raw HTML, as references, with alternative texts of several lines. Answers with the
 * Markdown in which they are replaced as well. What does not stand there as it came out is not kept: it would be kept
 * again with every save. Data of other types, such as SVG, stays as it is written, as in the original; the filter takes it
 * away from what is shown.
 */
export async function extractWrittenImages(root: Parent, markdown: string, saveImage?: SaveImage): Promise<string> {
  const found = picturesIn(root).filter(([, src]) => EXTENSIONS.has(extensionOf(src)));
  if (found.length === 0) return markdown;
  const places = placesOf(markdown, new Set(found.map(([, src]) => bareOf(src))));
  const written = new Set(places.map(({ data }) => data));
  const urls = new Map<string, string>();
  for (const [element, src] of found) {
    const key = bareOf(src);
    if (!urls.has(key)) urls.set(key, written.has(key) ? await savedUrl(src, saveImage, key) : "");
    setAttribute(element, "src", urls.get(key) ?? "");
  }
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, data } of places) {
    const url = urls.get(data) ?? "";
    if (url === "") continue;
    parts.push(markdown.slice(done, start), url);
    done = end;
  }
  return [...parts, markdown.slice(done)].join("");
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly data: string;
}

function bareOf(src: string): string {
  return src.replace(/\s+/g, "");
}

/**
 * Where these data URLs stand in a text: up to what ends an address, or up to the end of what is quoted, white space
 * within aside.
 */
function placesOf(text: string, wanted: ReadonlySet<string>): Place[] {
  const places: Place[] = [];
  let next = text.indexOf(PREFIX);
  while (next >= 0) {
    const start = next;
    next = text.indexOf(PREFIX, start + 1);
    const quoted = /^[^"'()<>]*/.exec(text.slice(start, next < 0 ? text.length : next))?.[0] ?? "";
    for (const written of [/^\S*/.exec(quoted)?.[0] ?? "", quoted]) {
      const data = bareOf(written);
      if (!wanted.has(data)) continue;
      places.push({ start, end: start + written.length, data });
      break;
    }
  }
  return places;
}

/** The same for Markdown: `![alt](data:image/png;base64,…)`; data ends at `)`, space, newline or `"`. */
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

// Whether `![…](` stands before `end` on the same line, in what has not been consumed yet.
function opensImage(markdown: string, start: number, end: number): boolean {
  const line = markdown.slice(Math.max(start, markdown.lastIndexOf("\n", end) + 1, end - 10_000), end);
  const image = line.indexOf("![");
  return image >= 0 && line.indexOf("](", image) >= 0;
}

async function savedUrl(dataUrl: string, saveImage: SaveImage | undefined, written?: string): Promise<string> {
  const picture = saveImage && decodePicture(dataUrl);
  return (picture && (await saveImage(picture, written))) ?? "";
}

/** Decodes a data URL of a picture; `undefined` if type, encoding, content or size are not those of content-api 9.5. */
export function decodePicture(dataUrl: string): EmbeddedPicture | undefined {
  const extension = extensionOf(dataUrl);
  if (!EXTENSIONS.has(extension)) return undefined;
  const base64 = dataUrl.slice(dataUrl.indexOf(",") + 1).replace(/\s+/g, "");
  if (base64.length * 0.75 > maxImageBytes + 2 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(base64)) return undefined;
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  return bytes.length <= maxImageBytes && sniff(bytes) ? { bytes, extension } : undefined;
}

function extensionOf(dataUrl: string): string {
  return (dataUrl.slice(0, Math.max(dataUrl.indexOf(","), 0)).split(/[/;]/)[1] ?? "").toLowerCase();
}
