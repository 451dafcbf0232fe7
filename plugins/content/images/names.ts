import { randomText, slugOf, storable } from "lectern/core";

const MAX_NAME = 255;
const NAMELESS_LENGTH = 10;
const EMBEDDED_LENGTH = 8;

/** Below the instance's own address, where all pictures are. */
export const FOLDER = "/uploads/images";

/** The smaller forms of a picture, by the folder that stands before the file in their addresses (content-api 12). */
export const FORMS = { gallery: "thumbs-150-150", display: "scaled-1680-" } as const;

/** A smaller form of a picture. */
export type Form = keyof typeof FORMS;

/** A client's name for a file as the name of a picture; control and direction marks would make it look like another. */
export function nameOf(fileName: string): string {
  const shown = fileName.replace(/[\p{Cc}\p{Bidi_Control}]/gu, "").trim();
  return [...shown].slice(0, MAX_NAME).join("");
}

/** The extension of a file's name in lower case, without a dot. */
export function extensionOf(fileName: string): string {
  return fileName.slice(fileName.lastIndexOf(".") + 1).toLowerCase();
}

/** A file's name as part of an address (content-api 4.6): letters and digits of ASCII, its extension kept as typed. */
export function addressName(fileName: string): string {
  const dot = fileName.lastIndexOf(".");
  const slug = slugOf(fileName.slice(0, dot).replace(/[ .]/g, "-"));
  return `${slug === "" ? randomText(NAMELESS_LENGTH) : slug}${fileName.slice(dot)}`;
}

/** The name of a picture that was found inside a page (content-api 9.5). */
export function embeddedName(extension: string): string {
  return `embedded-image-${randomText(EMBEDDED_LENGTH)}.${extension}`;
}

/** The address of a smaller form, given that of the picture or its path. */
export function formOf(address: string, form: Form): string {
  const slash = address.lastIndexOf("/");
  return `${address.slice(0, slash)}/${FORMS[form]}${address.slice(slash)}`;
}

/** A picture by its path, or a smaller form of it. */
export interface Named {
  readonly path: string;
  readonly form?: Form;
}

/** Which picture an address names, and which form of it; undefined where it names none of this instance. */
export function asked(address: string, baseUrl: string): Named | undefined {
  const url = URL.parse(address, `${baseUrl}/`);
  const own = new URL(baseUrl);
  const folder = `${own.pathname.replace(/\/$/, "")}${FOLDER}/`;
  if (url?.origin !== own.origin || !url.pathname.startsWith(folder)) return undefined;
  return namedBy(decoded(url.pathname.slice(folder.length)));
}

/** The same for what stands behind the folder of all pictures: type, month, perhaps a form, file. */
export function namedBy(rest: string): Named | undefined {
  // What the store cannot hold, it cannot be asked for.
  if (storable(rest) !== rest) return undefined;
  const parts = rest.split("/");
  if (parts.length === 3) return { path: `${FOLDER}/${rest}` };
  const form = (Object.keys(FORMS) as Form[]).find((one) => FORMS[one] === parts[2]);
  if (parts.length !== 4 || form === undefined) return undefined;
  return { path: `${FOLDER}/${parts[0]}/${parts[1]}/${parts[3]}`, form };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
