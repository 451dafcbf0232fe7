import { type DocumentDecoration, Elysia } from "elysia";
import { type InputObject, withEmptyAsNull } from "../input/body_parsing.ts";
import type { RoutePermit } from "../registry.ts";
import { frozenViewer, GUEST, type Viewer } from "../viewer.ts";
import type { JudgeAnswer } from "./answer_judge.ts";
import { recordingRoutes } from "./plugin_app.ts";
import { stateOf } from "./request_context.ts";
import { permitDetail } from "./route_table.ts";

/** What handlers find on Elysia's context beside its own members. A type alias, since `decorate` needs an index signature. */
type RequestMembers = {
  viewer: Viewer;
  /** Query string and body merged, strings trimmed; the body takes precedence. */
  input: InputObject;
  /** The query string with brackets as nested values, strings trimmed; `query` of Elysia is flat. */
  nestedQuery: InputObject;
  /** The client's address. */
  address: string;
  requestId: string;
};

/** The values of these before a request has any. Frozen: Elysia merges decorators into each other. */
export const MEMBERS: RequestMembers = {
  viewer: frozenViewer({ ...GUEST }),
  input: Object.freeze({}),
  nestedQuery: Object.freeze({}),
  address: "",
  requestId: "",
};

/**
 * An Elysia instance for one plugin. `judge` checks its answers. Options of a route are `permit` and `emptyAsNull`, the fields
 * of an urlencoded body whose empty text means null.
 */
export function appBelow<Prefix extends string>(prefix: Prefix, judge?: JudgeAnswer) {
  // The root answers its routes: no answer to a constant is made here.
  return (
    recordingRoutes(new Elysia({ prefix, nativeStaticResponse: false }), judge)
      .decorate(MEMBERS)
      // A type assertion, since Elysia's type has no OpenAPI extensions (x-…). The permits in the documentation are what is checked.
      .macro("permit", (permit: RoutePermit) => ({ detail: permitDetail(permit) as DocumentDecoration }))
      .macro("emptyAsNull", (fields: readonly string[]) => ({
        transform(context: { request: Request; input?: InputObject }) {
          const { input, nestedQuery } = stateOf(context.request);
          context.input = withEmptyAsNull(context.request, { input, query: nestedQuery }, fields);
        },
      }))
  );
}
