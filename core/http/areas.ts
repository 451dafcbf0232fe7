import type { ApiError } from "../errors.ts";
import type { Viewer } from "../viewer.ts";
import type { Limiter } from "./rate_limit.ts";

/** Recognises who asks: a viewer, an error to answer with, or nothing where the credential is of another kind. */
export type Authenticate = (request: Request, address: string) => Recognised | Promise<Recognised>;
type Recognised = Viewer | ApiError | undefined;

/** A stretch of paths with its own credentials, limit and error shape. */
export interface AreaSpec {
  /** Whether the prefix is that of a whole path and not of one below /api. */
  readonly outside?: boolean;
  /** Asked before the resolvers of the runtime, which are asked where it neither recognises nor refuses anybody. */
  readonly authenticate?: Authenticate;
  /** Replaces the limiter of the runtime; null for none, outside the API for those without a token alone. */
  readonly limiter?: Limiter | null;
  /**
   * Stands around all the rest: answers on its own, or finishes what `next` answers. An ApiError it throws is answered in
   * the area's shape.
   */
  readonly around?: (request: Request, address: string, next: () => Promise<Response>) => Response | Promise<Response>;
  /** Whether bodies are left to the routes, which then read `request` themselves and limit what they read. */
  readonly ownBodies?: boolean;
  /** The body of an error answer. */
  readonly fault?: (status: number, message: string, error: ApiError) => unknown;
}

/** The areas of one runtime. */
export class Areas {
  readonly #areas: { prefix: string; spec: AreaSpec }[] = [];

  /** Adds one; `prefix` is below /api unless the area lies outside. */
  add(prefix: string, spec: AreaSpec): void {
    this.#areas.push({ prefix: spec.outside ? prefix : `/api${prefix}`, spec });
  }

  /** The nearest area around a path; the one around the whole site, whose prefix is empty, ends where the API begins. */
  at(path: string): AreaSpec | undefined {
    let found: { prefix: string; spec: AreaSpec } | undefined;
    for (const area of this.#areas) {
      const { prefix } = area;
      if (found && found.prefix.length >= prefix.length) continue;
      if (prefix === "" ? !/^\/api(\/|$)/.test(path) : path === prefix || path.startsWith(`${prefix}/`)) found = area;
    }
    return found?.spec;
  }
}
