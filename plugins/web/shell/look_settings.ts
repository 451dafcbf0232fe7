import type { InstanceSetting } from "lectern/contracts";
import { accentCheck } from "./colors.ts";
import type { FooterLink } from "./layout.ts";

/** How addresses that a link may have begin: pages, mail, and paths of this instance. */
const BEGINNINGS = [/^https?:\/\/[^\s/]/i, /^mailto:[^\s]/i, /^\/(?:$|[^/\\])/];
const MAX_LINKS = 10;
/** Characters of markup for the head. */
const MAX_HEAD = 20_000;

/** The settings of how screens look. */
export const LOOK_SETTINGS: readonly InstanceSetting[] = [
  {
    ...{ name: "app_color", group: "appearance", control: "color", default: "" },
    label: "Color of links and buttons",
    help: "Such as #24527a; empty for that of Lectern.",
    rules: { app_color: ["string"] },
    check: accentCheck("light"),
  },
  {
    ...{ name: "app_color_dark", group: "appearance", control: "color", default: "" },
    label: "The same on dark screens",
    help: "A light color, such as #7fb4e6; empty for that of Lectern.",
    rules: { app_color_dark: ["string"] },
    check: accentCheck("dark"),
  },
  {
    ...{ name: "app_footer_links", group: "appearance", control: "links", default: [] },
    label: "Links in the footer",
    help: "Such as an imprint. An address begins with https://, mailto: or, for a screen of this instance, with /.",
    rules: {
      app_footer_links: ["array", `max:${MAX_LINKS}`],
      "app_footer_links.*.text": ["required", "string", "max:80"],
      "app_footer_links.*.url": ["required", "string", "max:1000", "safe_url"],
    },
    check: (value) =>
      // Rows that the rules have let pass.
      (value as unknown as readonly FooterLink[]).every(({ url }) => isAddress(url))
        ? undefined
        : { text: "An address begins with https://, http://, mailto: or /." },
  },
  {
    ...{ name: "app_custom_head", group: "appearance", control: "lines", default: "", order: 90, needsAdmin: true },
    label: "HTML for the head of every screen",
    help: "Scripts and styles in it get the nonce of each document. Screens of the settings are without it, so that it can be mended.",
    rules: { app_custom_head: ["string", `max:${MAX_HEAD}`] },
  },
];

function isAddress(url: string): boolean {
  return !/\s/.test(url) && BEGINNINGS.some((beginning) => beginning.test(url));
}
