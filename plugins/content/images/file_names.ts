import { randomText, slugOf } from "lectern/core";

const MAX_NAME = 255;
const NAMELESS_LENGTH = 10;
const EMBEDDED_LENGTH = 8;

/** An uploaded file's name as the name of an image, without control and direction characters, which disguise names. */
export function nameOf(fileName: string): string {
  const shown = fileName.replace(/[\p{Cc}\p{Bidi_Control}]/gu, "").trim();
  return [...shown].slice(0, MAX_NAME).join("");
}

/** The extension of a file name in lower case, without a dot. */
export function extensionOf(fileName: string): string {
  return fileName.slice(fileName.lastIndexOf(".") + 1).toLowerCase();
}

/** A file name as the last segment of a URL (content-api 4.6): ASCII letters and digits; the extension stays as it is. */
export function urlFileName(fileName: string): string {
  const dot = fileName.lastIndexOf(".");
  const slug = slugOf(fileName.slice(0, dot).replace(/[ .]/g, "-"));
  return `${slug === "" ? randomText(NAMELESS_LENGTH) : slug}${fileName.slice(dot)}`;
}

/** A file name for an image that was embedded in a page (content-api 9.5). */
export function embeddedFileName(extension: string): string {
  return `embedded-image-${randomText(EMBEDDED_LENGTH)}.${extension}`;
}
