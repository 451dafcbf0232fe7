/**
 * Documents of other sites within pages: those of allowed sources are shown in a sandboxed frame, which can neither navigate the
 * screen nor request the camera; all others become links. The same list is the `frame-src` of the Content-Security-Policy, so that the
 * browser enforces it as well, with this server for frames that scripts of plugins open: its screens refuse to be framed, and a
 * document that may be says so by a policy of its own.
 */
import { BootError } from "lectern/core";
import { defaultTreeAdapter, html } from "parse5";
import { attribute, type Element, setAttribute } from "./elements.ts";

/** The default sources of BookStack: diagrams and common video players. */
export const DEFAULT_SOURCES =
  "https://*.draw.io https://*.youtube.com https://*.youtube-nocookie.com https://*.vimeo.com";

/** The sources that may be framed. */
export interface FrameSources {
  /** The value of `frame-src`. */
  readonly policy: string;
  /** Whether a URL, as written in a page, belongs to one of them. */
  allows(address: string): boolean;
}

interface Source {
  readonly scheme: string | undefined;
  readonly host: string;
  readonly port: string | undefined;
  readonly path: string;
}

/** A source as in a Content-Security-Policy: scheme, host, port and path; only the host is required. */
const SOURCE =
  /^(?:(https?):\/\/)?((?:\*\.)?[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:]+\])(?::(\d{1,5}|\*))?(\/[\w\-./~%@:+]*)?$/i;
const KEPT_ATTRIBUTES: ReadonlySet<string> = new Set([
  "src",
  "width",
  "height",
  "title",
  "class",
  "id",
  "allowfullscreen",
]);
/** Players need scripts and their own storage; top-level navigation is not allowed. */
const SANDBOX = "allow-scripts allow-same-origin allow-forms allow-popups allow-presentation allow-downloads";

/**
 * Parses ALLOWED_IFRAME_SOURCES: sources separated by spaces, `*` for all, "" for none. `baseUrl` is the base of relative
 * URLs. Throws BootError for an invalid source.
 */
export function frameSources(setting: string, baseUrl: string): FrameSources {
  const words = setting.split(/\s+/).filter((word) => word !== "");
  if (words.length === 1 && words[0] === "*")
    return { policy: "'self' https: http:", allows: (address) => urlOf(address, baseUrl) !== undefined };
  const sources = words.map(sourceOf);
  return {
    policy: ["'self'", ...words].join(" "),
    allows(address) {
      const url = urlOf(address, baseUrl);
      return url !== undefined && sources.some((source) => isWithin(url, source));
    },
  };
}

/** An iframe with the allowed attributes of its author, sandboxed. */
export function framed(element: Element, name: string): Element {
  const frame = defaultTreeAdapter.createElement(
    "iframe",
    html.NS.HTML,
    element.attrs.filter((each) => KEPT_ATTRIBUTES.has(each.name)),
  );
  if ((attribute(frame, "title") ?? "").trim() === "") setAttribute(frame, "title", name);
  setAttribute(frame, "sandbox", SANDBOX);
  setAttribute(frame, "loading", "lazy");
  // Players refuse to start without a referrer.
  setAttribute(frame, "referrerpolicy", "strict-origin-when-cross-origin");
  return frame;
}

function sourceOf(word: string): Source {
  const [, scheme, host, port, path = ""] = SOURCE.exec(word) ?? [];
  if (host === undefined)
    throw new BootError(
      `Cannot use ALLOWED_IFRAME_SOURCES: found "${word}", expected sources such as "https://*.example.com"`,
    );
  return { scheme: scheme?.toLowerCase(), host: host.toLowerCase(), port, path };
}

function urlOf(address: string, baseUrl: string): URL | undefined {
  if (!URL.canParse(address, baseUrl)) return undefined;
  const url = new URL(address, baseUrl);
  return url.protocol === "https:" || url.protocol === "http:" ? url : undefined;
}

/** Matches as browsers do: `http` includes `https`, `*.` every subdomain, a path that ends in "/" all paths below it. */
function isWithin({ protocol, hostname, port, pathname }: URL, source: Source): boolean {
  if (source.scheme !== undefined && protocol !== `${source.scheme}:` && protocol !== "https:") return false;
  const { host } = source;
  if (host.startsWith("*.") ? !hostname.endsWith(host.slice(1)) : hostname !== host) return false;
  if (source.port !== "*" && (source.port ?? "") !== port && !(port === "" && isDefault(source.port, protocol)))
    return false;
  if (source.path === "" || source.path === "/") return true;
  return source.path.endsWith("/") ? pathname.startsWith(source.path) : pathname === source.path;
}

function isDefault(port: string | undefined, protocol: string): boolean {
  return port === (protocol === "https:" ? "443" : "80");
}
