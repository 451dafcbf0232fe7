/**
 * The accent colours that administrators choose, of links, buttons and what is current. They are a style sheet whose address has the colours, so
 * that every server draws any of them, browsers keep it for ever, and the Content-Security-Policy needs no exception. What is written in a colour has
 * to be readable (WCAG 2.2, 1.4.3), so one with too little contrast to the backgrounds of its scheme is refused.
 */
import type { SettingFault, SettingValue } from "lectern/contracts";
import { ApiError, staticFileAnswer } from "lectern/core";
import type { ShellContext } from "./contract.ts";

/** The schemes of screens. */
type Scheme = "light" | "dark";
type Rgb = readonly [red: number, green: number, blue: number];

const COLOR = /^#[0-9a-f]{6}$/i;
/** The lightest and the darkest background that text in the accent is on, in each scheme. */
const GROUNDS: Readonly<Record<Scheme, readonly string[]>> = {
  light: ["#ffffff", "#f3f5f7"],
  dark: ["#13171f", "#202632"],
};
/** The contrast of text that everybody can read. */
const MIN_CONTRAST = 4.5;
const WHITE = "#ffffff";
const BLACK = "#000000";
const IMMUTABLE = "public, max-age=31536000, immutable";

/** Mounts the style sheet. Returns its URL in a list, which is empty where no colour is chosen. */
export function mountColors({ app, contracts, root }: ShellContext): () => string[] {
  const settings = contracts.instance_settings;
  app.site.get(
    "/web/colors.css",
    ({ query }) => {
      const colors = { light: colorIn(query.light), dark: colorIn(query.dark) };
      if (colors.light === undefined || colors.dark === undefined) throw new ApiError(404, "File not found");
      return staticFileAnswer("colors.css", Buffer.from(styleOf(colors.light, colors.dark)), IMMUTABLE);
    },
    { permit: "public" },
  );
  return () => {
    const [light, dark] = [settings.value("app_color"), settings.value("app_color_dark")];
    if (light === "" && dark === "") return [];
    return [`${root}/web/colors.css?${new URLSearchParams({ light: light.slice(1), dark: dark.slice(1) })}`];
  };
}

/** The check of an accent of a scheme. */
export function accentCheck(scheme: Scheme): (value: SettingValue) => SettingFault | undefined {
  return (value) => {
    const color = String(value);
    if (!COLOR.test(color)) return { text: "This is no color such as #24527a." };
    const found = Math.min(...GROUNDS[scheme].map((ground) => contrast(color, ground)));
    if (found >= MIN_CONTRAST) return undefined;
    // Cut, so that 4.49 is not shown as what is wanted.
    const params = { found: (Math.floor(found * 10) / 10).toFixed(1), wanted: MIN_CONTRAST };
    return { text: "The contrast to the background is :found to 1, and has to be at least :wanted to 1.", params };
  };
}

/** The contrast of two colours, from 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = rgbOf(color).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function rgbOf(color: string): Rgb {
  const number = Number.parseInt(color.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

/** The colour of a parameter, "" for none; undefined for anything else. */
function colorIn(text: string | undefined): string | undefined {
  if (text === undefined || text === "") return "";
  return COLOR.test(`#${text}`) ? `#${text}` : undefined;
}

/** The rules of both schemes, each where the reader has chosen it, and where the device does. */
function styleOf(light: string, dark: string): string {
  const rules = (color: string, name: Scheme, device: string) =>
    color === ""
      ? ""
      : `[data-theme="${name}"]{${accent(color, name)}}${device}{:root:not([data-theme]){${accent(color, name)}}}`;
  return (
    rules(light, "light", "@media not (prefers-color-scheme:dark)") +
    rules(dark, "dark", "@media (prefers-color-scheme:dark)")
  );
}

/** The variables of Pico that follow from an accent. What is under the pointer is farther from the background. */
function accent(color: string, scheme: Scheme): string {
  const away = scheme === "light" ? BLACK : WHITE;
  const inverse = contrast(color, WHITE) >= contrast(color, BLACK) ? WHITE : BLACK;
  const pressed = inverse === WHITE ? BLACK : WHITE;
  const variables = {
    primary: color,
    "primary-background": color,
    "primary-border": color,
    "primary-underline": `${color}80`,
    "primary-hover": `color-mix(in oklab,${color} 78%,${away})`,
    "primary-hover-background": `color-mix(in oklab,${color} 85%,${pressed})`,
    "primary-hover-border": `color-mix(in oklab,${color} 85%,${pressed})`,
    "primary-hover-underline": `color-mix(in oklab,${color} 78%,${away})`,
    "primary-focus": `${color}66`,
    "primary-inverse": inverse,
    "text-selection-color": `${color}40`,
  };
  return Object.entries(variables)
    .map(([name, value]) => `--pico-${name}:${value}`)
    .join(";");
}
