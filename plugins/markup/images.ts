import type { EmbeddedPicture } from "lectern/core";
import { maxImageBytes } from "./limits.ts";
import { attributeOf, type Element, eachElement, type Parent, setAttribute } from "./tree.ts";

type SaveImage = (picture: EmbeddedPicture) => Promise<string | undefined>;

const EXTENSIONS = new Set(["jpg", "jpeg", "png", "gif", "webp", "avif"]);

/** Replaces base64 pictures in `img` elements by the URL they are saved under, or by nothing. Changes the tree. */
export async function extractImages(root: Parent, saveImage?: SaveImage): Promise<void> {
  const found: [Element, string][] = [];
  eachElement(root, (element) => {
    const src = element.tagName === "img" ? attributeOf(element, "src") : undefined;
    if (src?.includes("data:image")) found.push([element, src]);
  });
  for (const [element, src] of found) setAttribute(element, "src", await savedUrl(src, saveImage));
}

/** The same for Markdown: `![alt](data:image/png;base64,…)`; data ends at `)`, space, newline or `"`. */
export async function extractMarkdownImages(markdown: string, saveImage?: SaveImage): Promise<string> {
  const parts: string[] = [];
  let done = 0;
  for (const match of markdown.matchAll(/data:image\/[^\s,;)"]{1,8};base64,[^)\s"]*/g)) {
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

async function savedUrl(dataUrl: string, saveImage: SaveImage | undefined): Promise<string> {
  const picture = saveImage && decodePicture(dataUrl);
  return (picture && (await saveImage(picture))) ?? "";
}

/** Decodes a data URL of a picture; `undefined` if type, encoding, content or size are not those of content-api 9.5. */
export function decodePicture(dataUrl: string): EmbeddedPicture | undefined {
  const comma = dataUrl.indexOf(",");
  const extension = (dataUrl.slice(0, Math.max(comma, 0)).split(/[/;]/)[1] ?? "").toLowerCase();
  if (!EXTENSIONS.has(extension)) return undefined;
  const base64 = dataUrl.slice(comma + 1).replace(/\s+/g, "");
  if (base64.length * 0.75 > maxImageBytes + 2 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(base64)) return undefined;
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  return bytes.length <= maxImageBytes && looksLikePicture(bytes) ? { bytes, extension } : undefined;
}

/** Whether bytes start as those of a PNG, JPEG, GIF, WebP or AVIF file do. */
export function looksLikePicture(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  return (
    head.startsWith("\x89PNG\r\n\x1a\n") ||
    head.startsWith("\xff\xd8\xff") ||
    /^GIF8[79]a/.test(head) ||
    /^RIFF[^]{4}WEBP/.test(head) ||
    /^[^]{4}ftypavi[fs]/.test(head)
  );
}
