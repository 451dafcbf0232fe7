/**
 * Reads the URL of a server. As in libpq it may name several hosts, of which one accepts writes:
 * `postgres://user:password@h1:5432,h2:5432/name?target_session_attrs=read-write`. postgres.js gets one of them at a time
 * (`hosts.ts`), since it never gives up where all hosts refuse the connection.
 */
import { StoreError } from "../query/errors.ts";

/** One server of a URL. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

/** What a server has to be: `read-write` accepts writes, `primary` is not in recovery. */
export type SessionAttributes = "any" | "read-write" | "primary";

/** A URL that was read. */
export interface Address {
  /** The URL for postgres.js: the first host alone. */
  readonly url: string;
  /** All hosts where there are several; none for a single one, which postgres.js reads itself. */
  readonly hosts: readonly Host[];
  readonly attributes: SessionAttributes;
  /** For messages: in quotes, without password and parameters. */
  readonly shown: string;
}

const PARTS = /^([a-z]+:)\/\/([^/?#]*)([^?#]*)(\?[^#]*)?/i;
const HOST = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/i;
const ATTRIBUTES: ReadonlySet<string> = new Set(["any", "read-write", "primary"]);
const DEFAULT_PORT = "5432";

/**
 * Reads a URL; `setting` is its variable. Throws StoreError, without the password. With several hosts `target_session_attrs`
 * is `read-write` by default.
 */
export function parseAddress(databaseUrl: string, setting = "DATABASE_URL"): Address {
  const wanted = `wanted "postgres://user:password@host:port/name"`;
  const [, protocol = "", authority = "", path = "", search = ""] = PARTS.exec(databaseUrl) ?? [];
  const at = authority.lastIndexOf("@") + 1;
  const names = authority.slice(at).split(",");
  const first = names[0] ?? "";
  const single = `${protocol}//${authority.slice(0, at)}${first}${path}${search}`;
  if (!URL.canParse(names.length > 1 ? single : databaseUrl))
    throw new StoreError(`Cannot read ${setting}: found no URL, ${wanted}`);
  if (!/^postgres(?:ql)?:$/.test(protocol))
    throw new StoreError(`Cannot read ${setting}: found protocol "${protocol}", ${wanted}`);
  const { username, host, pathname, searchParams } = new URL(names.length > 1 ? single : databaseUrl);
  const all = names.length > 1 ? names.join(",") : host;
  const shown = `"${protocol}//${username && `${username}@`}${all}${pathname}"`;
  const attributes = searchParams.get("target_session_attrs");
  if (names.length === 1 && attributes !== "any") return { url: databaseUrl, hosts: [], attributes: "any", shown };
  if (!isAttributes(attributes ?? "read-write"))
    throw new StoreError(
      `Cannot read ${setting}: found target_session_attrs "${attributes}", wanted read-write, primary or any`,
    );
  return {
    url: withoutAttributes(names.length > 1 ? single : databaseUrl),
    hosts: names.length > 1 ? names.map((name) => hostOf(name, setting)) : [],
    attributes: (attributes as SessionAttributes | null) ?? "read-write",
    shown,
  };
}

function isAttributes(text: string): text is SessionAttributes {
  return ATTRIBUTES.has(text);
}

function hostOf(text: string, setting: string): Host {
  const [, v6, name, port = DEFAULT_PORT] = HOST.exec(text) ?? [];
  const host = v6 ?? name;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new StoreError(`Cannot read ${setting}: found host "${text}", wanted "host:port"`);
  return { host: decodeURIComponent(host), port: Number(port) };
}

/** postgres.js knows no `any`, and of several hosts the attributes are an option. */
function withoutAttributes(url: string): string {
  return url.replace(/([?&])target_session_attrs=[^&#]*&?/, "$1").replace(/[?&]$/, "");
}
