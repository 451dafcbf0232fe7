/**
 * TeX as a picture and as MathML, by MathJax, in a child process. What is loaded of it defines nothing (`\def` and the like) that would stay
 * for the formulas of others, and has no commands that make links, classes, styles or ids. The SVG is shown as the picture of an
 * `<img>`: fonts of browsers differ too much for MathML alone (Chromium aligns no equations, and Debian has no font for
 * mathematics), and as a picture nothing in it can run or load. Screen readers get the MathML, which is out of sight.
 */
import { createRequire } from "node:module";
import type { Formula } from "./dollars.ts";

/** The used part of MathJax; its own types would add those of browsers to the whole program. */
interface MathJax {
  init(options: object): Promise<unknown>;
  readonly texReset: () => void;
  readonly tex2svgPromise: (tex: string, options: object) => Promise<object>;
  readonly tex2mmlPromise: (tex: string, options: object) => Promise<string>;
  readonly startup: { readonly adaptor: { outerHTML(node: object): string } };
}

/** How a formula is shown: on a screen, or in a file of its own. */
export type Target = "screen" | "export";

const PACKAGES = ["ams", "amscd", "boldsymbol", "braket", "cancel"];
/** Pixels of 1ex where the text has 16 pixels. */
const PIXELS_PER_EX = 8;
/** Of a picture; more is no formula that somebody reads. */
const MOST_EX = 400;
const SIZE = /\bwidth="([\d.]+)ex" height="([\d.]+)ex"/;
const LOWERED = /\bvertical-align: (-?[\d.]+)ex/;
/** What no picture of a formula has. */
const REFUSED = [/<(?:script|foreignObject|image|a|style)\b/i, /\son\w+=/i, /href="[^#]/i];

/** The command of the base that gives elements classes, ids, styles and links. Without definitions, it can only be written out. */
const GIVES_ATTRIBUTES = /\\mmlToken(?![a-zA-Z])/;

const require = createRequire(import.meta.url);
let loaded: Promise<MathJax> | undefined;

async function load(): Promise<MathJax> {
  const library = require("mathjax") as MathJax;
  await library.init({
    loader: { load: ["input/tex-base", ...PACKAGES.map((name) => `[tex]/${name}`), "output/svg"] },
    tex: { packages: ["base", ...PACKAGES], tags: "none", maxMacros: 1000, maxBuffer: 10_000 },
    svg: { fontCache: "local", linebreaks: { inline: false } },
  });
  // It reports packages that it cannot load to the console alone.
  if (typeof library.tex2svgPromise !== "function") throw new Error("Cannot load MathJax");
  return library;
}

/** A formula as HTML; undefined where it is none, so that its source stays. */
export async function typeset({ tex, isBlock }: Formula, target: Target): Promise<string | undefined> {
  if (GIVES_ATTRIBUTES.test(tex)) return undefined;
  loaded ??= load();
  const { startup, texReset, tex2svgPromise, tex2mmlPromise } = await loaded;
  texReset();
  const options = { display: isBlock };
  let drawn: string;
  try {
    drawn = startup.adaptor.outerHTML(await tex2svgPromise(tex, options));
  } catch {
    // MathJax throws for few faults; others become a picture with a message.
    return undefined;
  }
  const svg = drawn.slice(drawn.indexOf("<svg "), drawn.lastIndexOf("</svg>") + "</svg>".length);
  const [, width = "", height = ""] = SIZE.exec(svg) ?? [];
  const shown = plain(svg);
  if (svg.includes(" data-mjx-error=") || REFUSED.some((part) => part.test(shown))) return undefined;
  if (!isShown(Number(width)) || !isShown(Number(height))) return undefined;
  const lowered = Number(LOWERED.exec(svg)?.[1] ?? 0);
  const address = `data:image/svg+xml;base64,${Buffer.from(shown).toString("base64")}`;
  const kind = isBlock ? "formula is-block" : "formula";
  if (target === "export") {
    const pixels = (ex: string) => Math.round(Number(ex) * PIXELS_PER_EX * 10) / 10;
    const image = `<img src="${address}" alt="${Bun.escapeHTML(tex)}" width="${pixels(width)}" height="${pixels(height)}" style="vertical-align: ${lowered}ex">`;
    return `<span class="${kind}">${image}</span>`;
  }
  // Labels of the first run would be defined twice.
  texReset();
  const math = withoutData((await tex2mmlPromise(tex, options)).replace(/>\s+</g, "><"));
  return `<span class="${kind}"><img src="${address}" alt="" style="width: ${width}ex; height: ${height}ex; vertical-align: ${lowered}ex">${math}</span>`;
}

const isShown = (ex: number) => ex > 0 && ex <= MOST_EX;

/** The picture without notes on how it was made. */
function plain(svg: string): string {
  return withoutData(svg).replace(/ (?:role|focusable|style)="[^"]*"/, "");
}

function withoutData(markup: string): string {
  return markup.replace(/ data-[\w-]+="[^"]*"/g, "");
}
