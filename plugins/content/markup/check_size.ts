import { type ApiError, invalidFields } from "lectern/core";
import { maxMarkdownGrowth } from "./limits.ts";

/** Limits of the content of a page. */
export interface ContentLimits {
  /** Bytes as sent, without embedded images. */
  readonly maxBytes: number;
  /** Elements; for Markdown, those of the HTML it is converted to. */
  readonly maxElements: number;
}

type Field = "html" | "markdown";

const EMBEDDED_IMAGE = "data:image/";

/**
 * Throws ApiError 422 for too many bytes if there is no embedded image. Does not scan the content, so that a refusal is
 * cheap.
 */
export function checkBytes(field: Field, text: string, limits: ContentLimits): void {
  if (Buffer.byteLength(text) > limits.maxBytes && !text.includes(EMBEDDED_IMAGE)) throw tooLong(field, limits);
}

/** Throws ApiError 422 for too many bytes, without those of embedded images, or too many elements. */
export function checkContentSize(field: Field, text: string, limits: ContentLimits): void {
  if (Buffer.byteLength(text) > limits.maxBytes && Buffer.byteLength(withoutImages(text)) > limits.maxBytes)
    throw tooLong(field, limits);
  if (field === "html") checkElements(field, text, limits);
}

/** Throws ApiError 422 for HTML from Markdown that is too large or has too many elements. */
export function checkConvertedSize(html: string, limits: ContentLimits): void {
  if (
    html.length > limits.maxBytes * maxMarkdownGrowth &&
    withoutImages(html).length > limits.maxBytes * maxMarkdownGrowth
  )
    throw tooLong("markdown", limits);
  checkElements("markdown", html, limits);
}

/** Counts start tags before anything is parsed. End tags do not count, nor `<` without a letter after it. */
function checkElements(field: Field, html: string, { maxElements }: ContentLimits): void {
  let count = 0;
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at + 1)) {
    const next = html.charCodeAt(at + 1) | 0x20;
    if (next < 0x61 || next > 0x7a) continue;
    count += 1;
    if (count > maxElements)
      throw invalidFields({ [field]: `The ${field} may not have more than ${maxElements} elements.` });
  }
}

function withoutImages(text: string): string {
  return text.replace(/data:image\/[^\s,;)"']{1,8};base64,[A-Za-z0-9+/=_\s-]*/g, "");
}

function tooLong(field: Field, { maxBytes }: ContentLimits): ApiError {
  return invalidFields({ [field]: `The ${field} may not be larger than ${maxBytes} bytes.` });
}
