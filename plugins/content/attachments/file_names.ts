const MAX_NAME = 255;
const MAX_EXTENSION = 20;

/** The extension of a file name, without a dot and in its case; may be "" (content-api 11, 2.4). */
export function extensionOf(fileName: string): string {
  const name = withoutControls(fileName);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : [...name.slice(dot + 1)].slice(0, MAX_EXTENSION).join("");
}

/** A file name as the name of an attachment. */
export function nameOf(fileName: string): string {
  return [...withoutControls(fileName).trim()].slice(0, MAX_NAME).join("");
}

/** Without control and direction characters, which make a name look like another. */
function withoutControls(fileName: string): string {
  return fileName.replace(/[\p{Cc}\p{Bidi_Control}]/gu, "");
}

/** The file name of a download: the attachment's name, with the extension unless it already ends with it. */
export function downloadName({ name, extension }: { readonly name: string; readonly extension: string }): string {
  if (extension === "" || name.toLowerCase().endsWith(`.${extension.toLowerCase()}`)) return name;
  return `${name}.${extension}`;
}
