import { ApiError } from "lectern/core";
import { maxMarkdownGrowth } from "./limits.ts";

/** How much content a page may have. */
export interface ContentLimits {
  /** Bytes as they are sent, embedded pictures aside. */
  readonly maxBytes: number;
  /** Elements, for Markdown those of the HTML that is made of it. */
  readonly maxElements: number;
}

type Field = "html" | "markdown";

const PICTURE = "data:image/";

/** Throws ApiError 422 for content that is too large whatever is in it. Takes no time, so that a refusal costs nothing. */
export function refuseVast(field: Field, text: string, limits: ContentLimits): void {
  if (Buffer.byteLength(text) > limits.maxBytes && !text.includes(PICTURE)) throw tooLong(field, limits);
}

/** Throws ApiError 422 for content with too many bytes, not counting those of embedded pictures, or elements. */
export function refuseLarge(field: Field, text: string, limits: ContentLimits): void {
  if (Buffer.byteLength(text) > limits.maxBytes && Buffer.byteLength(withoutPictures(text)) > limits.maxBytes)
    throw tooLong(field, limits);
  if (field === "html") refuseManyElements(field, text, limits);
}

/** Throws ApiError 422 where Markdown has made HTML that is too large or has too many elements. */
export function refuseGrown(html: string, limits: ContentLimits): void {
  if (
    html.length > limits.maxBytes * maxMarkdownGrowth &&
    withoutPictures(html).length > limits.maxBytes * maxMarkdownGrowth
  )
    throw tooLong("markdown", limits);
  refuseManyElements("markdown", html, limits);
}

/** Start tags are counted before anything is parsed; end tags and what only looks like a tag do not count. */
function refuseManyElements(field: Field, html: string, { maxElements }: ContentLimits): void {
  let count = 0;
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at + 1)) {
    const next = html.charCodeAt(at + 1) | 0x20;
    if (next < 0x61 || next > 0x7a) continue;
    count += 1;
    if (count > maxElements) throw refused(field, `The ${field} may not have more than ${maxElements} elements.`);
  }
}

function withoutPictures(text: string): string {
  return text.replace(/data:image\/[^\s,;)"']{1,8};base64,[A-Za-z0-9+/=_\s-]*/g, "");
}

function tooLong(field: Field, { maxBytes }: ContentLimits): ApiError {
  return refused(field, `The ${field} may not be larger than ${maxBytes} bytes.`);
}

function refused(field: Field, message: string): ApiError {
  return new ApiError(422, "The given data was invalid.", { validation: { [field]: [message] } });
}
