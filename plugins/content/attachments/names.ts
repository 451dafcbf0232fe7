const MAX_NAME = 255;
const MAX_EXTENSION = 20;
/** Schemes that run code where a link is followed; browsers ignore blanks and controls in them, as parsing does. */
const UNSAFE_SCHEMES = new Set(["javascript:", "data:", "vbscript:"]);

/** The extension of a file's name, without a dot and as typed; may be empty (content-api 11, 2.4). */
export function extensionOf(fileName: string): string {
  const name = shownAs(fileName);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : [...name.slice(dot + 1)].slice(0, MAX_EXTENSION).join("");
}

/** A file's name as the name of an attachment. */
export function nameOf(fileName: string): string {
  return [...shownAs(fileName).trim()].slice(0, MAX_NAME).join("");
}

/** Without control and direction marks, which would make a name look like another. */
function shownAs(fileName: string): string {
  return fileName.replace(/[\p{Cc}\p{Bidi_Control}]/gu, "");
}

/** What a downloaded file is called: the attachment's name, with the extension unless it ends so already. */
export function downloadName({ name, extension }: { readonly name: string; readonly extension: string }): string {
  if (extension === "" || name.toLowerCase().endsWith(`.${extension.toLowerCase()}`)) return name;
  return `${name}.${extension}`;
}

/** Where a link leads, absolute and in ASCII; undefined where it leads nowhere or would run code. */
export function targetOf(link: string, baseUrl: string): string | undefined {
  const url = URL.parse(link, `${baseUrl}/`);
  return url && !UNSAFE_SCHEMES.has(url.protocol) ? url.href : undefined;
}

/** The address that answers show for an attachment (content-api 11): the instance's own, or a link that needs no host. */
export function addressOf(
  { id, external, link }: { readonly id: number; readonly external: boolean; readonly link: string },
  baseUrl: string,
): string {
  const own = `${baseUrl}/attachments/${id}`;
  return external && !link.startsWith("http") && targetOf(link, baseUrl) !== undefined ? link : own;
}
