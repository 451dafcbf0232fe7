/**
 * docs.json: the description of the API in the format that existing generators and importers read (content-api 16). It is
 * generated from the routes, so it is always up to date.
 */
import { type EndpointSpec, type RouteInfo, ruleStrings } from "lectern/core";

/** One endpoint of docs.json. */
export interface Endpoint {
  readonly name: string;
  /** Without a leading slash, parameters in braces: `api/pages/{id}`. */
  readonly uri: string;
  readonly method: string;
  readonly controller: string;
  readonly controller_method: string;
  readonly controller_method_kebab: string;
  readonly base_model: string;
  readonly description: string | null;
  readonly body_params: Record<string, string[]> | null;
  readonly example_request: string | null;
  readonly example_response: string | null;
  readonly model_description: string | null;
}

/** A route with a description. */
export interface DescribedRoute extends RouteInfo {
  readonly segment: string;
  readonly action: string;
  readonly facts: EndpointSpec;
}

/** The routes with a description, in the order in which they were mounted. */
export function described(routes: readonly RouteInfo[]): DescribedRoute[] {
  return routes.flatMap((route) => {
    const {
      "x-facts": facts,
      "x-action": action,
      tags,
    } = route.detail as { "x-facts"?: EndpointSpec; "x-action"?: string; tags?: string[] };
    const segment = tags?.[0];
    return facts && action && segment ? [{ ...route, segment, action, facts }] : [];
  });
}

/** Endpoints by the first segment of their path, sorted alphabetically after those of the documentation itself. */
export function describe(routes: readonly RouteInfo[]): Record<string, Endpoint[]> {
  const groups = new Map<string, Endpoint[]>([["docs", []]]);
  const ordered = [...described(routes)].sort((a, b) => a.segment.localeCompare(b.segment));
  for (const route of ordered) groups.set(route.segment, [...(groups.get(route.segment) ?? []), endpointOf(route)]);
  return Object.fromEntries(groups);
}

/** A route's path with parameters in braces: `/api/pages/{id}`. */
export function templated(path: string): string {
  return path.replace(/:(\w+)/g, "{$1}");
}

function endpointOf({ segment, action, facts, method, path }: DescribedRoute): Endpoint {
  const params = facts.rules ? ruleStrings(facts.rules) : {};
  const kebab = action.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return {
    name: `${segment}-${kebab}`,
    uri: templated(path).replace(/^\//, ""),
    method,
    controller: `lectern/${segment}`,
    controller_method: action.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    controller_method_kebab: kebab,
    base_model: segment,
    description: facts.about,
    body_params: Object.keys(params).length > 0 ? params : null,
    example_request: sample(facts.example?.request),
    example_response: sample(facts.example?.response),
    model_description: null,
  };
}

function sample(example: unknown): string | null {
  return example === undefined ? null : JSON.stringify(example, null, 2);
}
