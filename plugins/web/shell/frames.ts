/**
 * Documents of other sites within pages: those of named sources are shown in a frame, which may neither lead the screen
 * elsewhere nor ask for a reader's camera; everything else becomes a link. The same list is the policy `frame-src` of
 * documents, so that the browser holds it as well.
 */
import { BootError } from "lectern/core";
import { defaultTreeAdapter, html } from "parse5";
import { attribute, type Element, setAttribute } from "./elements.ts";

/** Sources as in the original: diagrams and the usual players. */
export const DEFAULT_SOURCES =
  "https://*.draw.io https://*.youtube.com https://*.youtube-nocookie.com https://*.vimeo.com";

/** Which documents may stand in frames. */
export interface FrameSources {
  /** The value of the policy `frame-src`. */
  readonly policy: string;
  /** Whether an address, as a page writes it, belongs to one of them. */
  allows(address: string): boolean;
}

interface Source {
  readonly scheme: string | undefined;
  readonly host: string;
  readonly port: string | undefined;
  readonly path: string;
}

/** A source as in a content security policy: scheme, host, port and path, of which the host alone must be. */
const SOURCE =
  /^(?:(https?):\/\/)?((?:\*\.)?[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:]+\])(?::(\d{1,5}|\*))?(\/[\w\-./~%@:+]*)?$/i;
const KEPT: ReadonlySet<string> = new Set(["src", "width", "height", "title", "class", "id", "allowfullscreen"]);
/** Players need scripts and their own storage; leading the screen elsewhere is left out. */
const SANDBOX = "allow-scripts allow-same-origin allow-forms allow-popups allow-presentation allow-downloads";

/**
 * Reads ALLOWED_IFRAME_SOURCES: sources separated by spaces, `*` for all, "" for none. `baseUrl` completes addresses
 * without a scheme. Throws BootError for what no policy could hold.
 */
export function frameSources(setting: string, baseUrl: string): FrameSources {
  const words = setting.split(/\s+/).filter((word) => word !== "");
  if (words.length === 1 && words[0] === "*")
    return { policy: "https: http:", allows: (address) => urlOf(address, baseUrl) !== undefined };
  const sources = words.map(sourceOf);
  return {
    policy: words.length === 0 ? "'none'" : words.join(" "),
    allows(address) {
      const url = urlOf(address, baseUrl);
      return url !== undefined && sources.some((source) => isWithin(url, source));
    },
  };
}

/** An iframe as a screen shows it: with what its author may say of it, and fenced in. */
export function framed(element: Element, name: string): Element {
  const frame = defaultTreeAdapter.createElement(
    "iframe",
    html.NS.HTML,
    element.attrs.filter((each) => KEPT.has(each.name)),
  );
  if ((attribute(frame, "title") ?? "").trim() === "") setAttribute(frame, "title", name);
  setAttribute(frame, "sandbox", SANDBOX);
  setAttribute(frame, "loading", "lazy");
  // Players refuse to start where they are not told which site shows them.
  setAttribute(frame, "referrerpolicy", "strict-origin-when-cross-origin");
  return frame;
}

function sourceOf(word: string): Source {
  const [, scheme, host, port, path = ""] = SOURCE.exec(word) ?? [];
  if (host === undefined)
    throw new BootError(
      `Cannot use ALLOWED_IFRAME_SOURCES: found "${word}", wanted sources such as "https://*.example.com"`,
    );
  return { scheme: scheme?.toLowerCase(), host: host.toLowerCase(), port, path };
}

function urlOf(address: string, baseUrl: string): URL | undefined {
  if (!URL.canParse(address, baseUrl)) return undefined;
  const url = new URL(address, baseUrl);
  return url.protocol === "https:" || url.protocol === "http:" ? url : undefined;
}

/** As browsers compare: a scheme covers its safer sibling, `*.` every name below, a path that ends in "/" all below it. */
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
