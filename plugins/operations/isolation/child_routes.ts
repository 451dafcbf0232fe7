/**
 * Routes of an isolated plugin: what `app` and `app.site` register, how a handler is called, and its answer as a message. A handler
 * stays in the process of the plugin, since a function cannot be sent: the server gets its number and calls it by that. What a route
 * may do beside, such as schemas and hooks, is not here: members and options that are unknown throw an error that names them.
 */
import type { Viewer } from "lectern/core";
import type { Registrations } from "./registrations.ts";

/** A request as it is sent to the process. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly nestedQuery: unknown;
  readonly input: unknown;
  readonly body: unknown;
  readonly address: string;
  readonly requestId: string;
}

/** An answer as it is sent to the server. */
export interface SentResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body: plain data, text or bytes; at most one of them. */
  readonly json?: unknown;
  readonly text?: string;
  readonly bytes?: Uint8Array;
}

type Handler = (context: object) => unknown;
type Methods = "get" | "post" | "put" | "patch" | "delete";
/** The object that stands for Elysia in the process. */
export type RemoteApp = Record<Methods, (path: string, handler: unknown, options?: object) => RemoteApp>;

const METHODS = ["get", "post", "put", "patch", "delete"] as const;
const OPTIONS = ["permit", "emptyAsNull"];
const STATUS = Symbol("an answer with a status");

interface WithStatus {
  readonly [STATUS]: number;
  readonly value: unknown;
}

/** An object whose unknown members throw an error that names them. */
export function limitedTo<T extends object>(what: string, members: T): T {
  return new Proxy(members, {
    get(target, name) {
      if (typeof name === "symbol" || name === "then" || name in target) return Reflect.get(target, name);
      throw new Error(`Isolated plugins have no "${name}" of ${what}; they have ${Object.keys(target).join(", ")}`);
    },
  });
}

/** The routes that a plugin registers, with their handlers by number. */
export class ChildRoutes {
  readonly registered: Registrations["routes"] = [];
  readonly #handlers: Handler[] = [];

  /** The `app` of the context. */
  get app(): RemoteApp & { readonly site: RemoteApp } {
    return this.#appAt("app", { site: this.#appAt("site", {}) });
  }

  #appAt<More extends object>(place: "app" | "site", more: More): RemoteApp & More {
    const members = METHODS.map((method) => [
      method,
      (path: string, handler: unknown, options: object = {}) => {
        const odd = Object.keys(options).find((name) => !OPTIONS.includes(name));
        if (odd !== undefined)
          throw new Error(
            `Isolated plugins cannot give "${odd}" to ${place}.${method}("${path}"); they can give ${OPTIONS.join(", ")}`,
          );
        this.registered.push({ place, method, path, ...(options as { permit: string }) });
        this.#handlers.push(typeof handler === "function" ? (handler as Handler) : () => handler);
        return app;
      },
    ]);
    const app = limitedTo(place, { ...(Object.fromEntries(members) as RemoteApp), ...more });
    return app;
  }

  /** Calls a handler. */
  async run(index: number, request: SentRequest, viewer: Viewer): Promise<SentResponse> {
    const set: { status?: number; headers: Record<string, string> } = { headers: {} };
    const context = limitedTo("a handler's context", {
      ...request,
      viewer,
      set,
      status: (code: number, value?: unknown): WithStatus => ({ [STATUS]: code, value }),
    });
    const found = await this.#handlers[index]?.(context);
    const isStatus = typeof found === "object" && found !== null && STATUS in found;
    const answer = isStatus ? (found as WithStatus).value : found;
    const status = isStatus ? (found as WithStatus)[STATUS] : (set.status ?? 200);
    if (answer instanceof Response)
      return {
        status: answer.status,
        headers: { ...set.headers, ...Object.fromEntries(answer.headers as Iterable<[string, string]>) },
        bytes: new Uint8Array(await answer.arrayBuffer()),
      };
    const { headers } = set;
    if (answer === undefined) return { status, headers };
    if (typeof answer === "string") return { status, headers, text: answer };
    return answer instanceof Uint8Array ? { status, headers, bytes: answer } : { status, headers, json: answer };
  }
}
