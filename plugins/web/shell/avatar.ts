import type { UserFace } from "lectern/contracts";
import { type Html, html } from "lectern/core";

/** The picture that the API gives users without one. */
const NONE = "/user_avatar.png";
/** Colours of pictures that are drawn, each with a class of the style sheet. */
const HUES = 12n;
const LETTER = /[\p{L}\p{N}]/u;

/** The picture of a user; drawn as initials on a colour that follows from the name where there is none. */
export function avatar({ name, url, isLarge }: UserFace): Html {
  const size = isLarge && " large";
  if (url !== undefined && !url.endsWith(NONE))
    return html`<img class="avatar${size}" src="${url}" alt="" width="256" height="256" loading="lazy">`;
  return html`<span class="avatar hue-${String(BigInt(Bun.hash(name)) % HUES)}${size}" aria-hidden="true"><small>${initialsOf(name)}</small></span>`;
}

/** The first letters of the first and the last word of a name: "Ann-Mary van Dyke" is "AD". */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).flatMap((word) => [...word].find((letter) => LETTER.test(letter)) ?? []);
  const [first = "", ...rest] = words;
  return `${first}${rest.at(-1) ?? ""}`.toUpperCase();
}
