import type { InputObject } from "../input/body_parsing.ts";
import { frozenViewer, GUEST, type Viewer } from "../viewer.ts";

/** What handlers find on Elysia's context beside its own members. A type alias, since `decorate` needs an index signature. */
export type RequestMembers = {
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
