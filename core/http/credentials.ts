/**
 * Credentials in requests, and plugins that do not ship with Lectern. Such a plugin acts as the viewer that it is given; with the
 * token or the session of that viewer it could act as the user anywhere and for good. So what it gets of the requests of others is a copy
 * without them (`without`), and the requests to its own routes lose them (`strip`). Shipped plugins that such a plugin calls with a
 * request, as in `sessions.viewer(request)`, get the original (`originalOf`).
 */
import { attachState, stateOf } from "./request_context.ts";
import type { RouteScope } from "./route_scope.ts";

/** Headers that hold credentials, beside those that the slot `credential_scheme` names. */
const HEADERS = ["authorization", "proxy-authorization"];
/** Names of parameters, of the query and of routes, whose values may be credentials, such as the link of an invitation. */
const SECRET_NAME = /(?:^|[:_-])(?:token|key|secret|password|code|signature|state)$/i;
/** What stands for a value that is left out. */
const HIDDEN = "hidden";

/** What a contribution to the slot `credential_scheme` says of credentials: security schemes of OpenAPI by name. */
export interface DescribedCredentials {
  readonly schemes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A request as it came, which few functions ask for: made of these then. */
interface Came {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
}

const ORIGINALS = new WeakMap<Request, Request | Came>();
const COPIES = new WeakMap<Request, Request>();
const SHOWN = new WeakSet<Request>();
const OWNER = Symbol("plugin of the route");

/** A request, with the plugin whose route it is for, once `strip` has seen it. */
type OwnedRequest = Request & { [OWNER]?: string };

/** The request as it came, of one that has lost its credentials; others as they are. */
export function originalOf(request: Request): Request {
  const known = ORIGINALS.get(request);
  if (known === undefined || known instanceof Request) return known ?? request;
  const original = new Request(known.url, known);
  attachState(original, stateOf(request));
  ORIGINALS.set(request, original);
  return original;
}

/** Names of headers and cookies that hold credentials. */
interface CredentialNames {
  readonly headers: readonly string[];
  readonly cookies: readonly string[];
}

/** Takes credentials from requests. */
export class CredentialFilter {
  readonly #schemes: () => readonly DescribedCredentials[];
  readonly #routePath: (request: Request) => string;
  /** Route scopes with credentials of a plugin's own. */
  readonly #scopes = new WeakMap<RouteScope, string>();
  #names: CredentialNames | undefined;

  /**
   * `schemes` are those of shipped plugins, complete when the first request arrives; `routePath` returns the path of the route of a
   * request, such as "/books/:name".
   */
  constructor(schemes: () => readonly DescribedCredentials[], routePath: (request: Request) => string) {
    this.#schemes = schemes;
    this.#routePath = routePath;
  }

  /**
   * A copy of a request for a plugin: without its body, credentials, cookies and the secrets in its URL. Always the same. A request to
   * the plugin's own route, which `strip` has seen, is returned as it is.
   */
  without(request: Request, plugin: string): Request {
    if ((request as OwnedRequest)[OWNER] === plugin || SHOWN.has(request)) return request;
    const known = COPIES.get(request);
    if (known) return known;
    const headers = new Headers(request.headers);
    for (const name of [...this.#credentials().headers, "cookie"]) headers.delete(name);
    const url = shownUrl(request.url, this.#routePath(request));
    const copy = new Request(url, { method: request.method, headers, signal: request.signal });
    attachState(copy, stateOf(request));
    COPIES.set(request, copy);
    SHOWN.add(copy);
    ORIGINALS.set(copy, originalOf(request));
    return copy;
  }

  /**
   * Takes the header `Authorization` and the cookies of sessions from a request to the plugin's own route. Other cookies and headers,
   * such as a key of the plugin's own, stay; and so does everything in a route scope where the plugin itself authenticates.
   */
  strip(request: Request, plugin: string): void {
    // A property, as the state is one: see `attachState`.
    (request as OwnedRequest)[OWNER] = plugin;
    const { scope } = stateOf(request);
    if (scope && this.#scopes.get(scope) === plugin) return;
    const cookie = request.headers.get("cookie");
    if (cookie === null && !HEADERS.some((name) => request.headers.has(name))) return;
    const { cookies } = this.#credentials();
    const isHeld = (pair: string) => cookies.some((name) => (pair.split("=")[0] ?? "").includes(name));
    const left = cookie?.split(";").filter((pair) => !isHeld(pair)) ?? [];
    const found = HEADERS.filter((name) => request.headers.has(name));
    if (found.length === 0 && left.join(";") === (cookie ?? "")) return;
    ORIGINALS.set(request, { url: request.url, method: request.method, headers: new Headers(request.headers) });
    for (const name of found) request.headers.delete(name);
    if (left.length > 0) request.headers.set("cookie", left.join(";").trim());
    else request.headers.delete("cookie");
  }

  /** The route scope of a plugin whose functions get requests without credentials, unless the plugin authenticates there itself. */
  scopeOf(plugin: string, spec: RouteScope): RouteScope {
    const { authenticate, intercept, notModified } = spec;
    const own: RouteScope = authenticate
      ? spec
      : {
          ...spec,
          ...(intercept && { intercept: (request, ...rest) => intercept(this.without(request, plugin), ...rest) }),
          ...(notModified && { notModified: (request) => notModified(this.without(request, plugin)) }),
        };
    if (authenticate) this.#scopes.set(own, plugin);
    return own;
  }

  #credentials(): CredentialNames {
    this.#names ??= namesIn(this.#schemes());
    return this.#names;
  }
}

/** The names in OpenAPI's security schemes of the type `apiKey`. */
function namesIn(schemes: readonly DescribedCredentials[]): CredentialNames {
  const keys = schemes.flatMap((each) => Object.values(each.schemes)).filter(({ type }) => type === "apiKey");
  const namesOf = (place: string) => keys.filter((key) => key.in === place).map(({ name }) => String(name));
  return { headers: [...HEADERS, ...namesOf("header")], cookies: namesOf("cookie") };
}

/** A URL without the values of parameters whose names say that they are secret. */
function shownUrl(given: string, route: string): string {
  const url = new URL(given);
  for (const name of new Set(url.searchParams.keys())) if (SECRET_NAME.test(name)) url.searchParams.set(name, HIDDEN);
  const names = route.split("/");
  const isSecret = (at: number) => names[at]?.startsWith(":") === true && SECRET_NAME.test(names[at]);
  const segments = url.pathname.split("/").map((segment, at) => (isSecret(at) ? HIDDEN : segment));
  url.pathname = segments.join("/");
  return url.href;
}
