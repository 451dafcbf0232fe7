/**
 * The `Visit` of a request to a screen: what handlers read and send as the reader. They get no cookies, and only the headers they need. Requests
 * go to the API as the viewer, in the viewer's language; its errors become errors of a form or an error screen.
 */
import { findItem, listItems, readItem, type SubmitResult, type Ui, type Visit } from "lectern/contracts";
import { ApiError, GUEST, type InputObject, inLanguage, ownPath, type Viewer } from "lectern/core";
import type { ShellContext } from "./contract.ts";
import { storeNotice } from "./notices.ts";

/** A request to a screen, as its route gets it. */
export interface ScreenRequest {
  readonly request: Request;
  readonly viewer: Viewer;
  readonly params: unknown;
  readonly nestedQuery: InputObject;
  readonly input: InputObject;
  readonly address: string;
}

/** The error of a reader whose session has ended. */
export const SIGNED_OUT: ApiError = new ApiError(401, "You are signed out");

/** The headers of a request that those to the API get. */
const PASSED_ON = ["cookie", "user-agent", "sec-fetch-site"];

/** The visit of a request. */
export function visitOf(
  context: ShellContext,
  { request, viewer, params, nestedQuery, input, address }: ScreenRequest,
  ui: Ui,
): Visit {
  const { root } = context;
  const reader = inLanguage(viewer, ui.language);
  const call = (method: string, path: string, body: InputObject = {}) =>
    context.callAs(reader, method, path, { input: body, address, headers: headersOf(request) });
  const readers = () => {
    // A guest without a role gets what the API answers without credentials.
    if (reader === GUEST) throw SIGNED_OUT;
    return context.slot("item_reader");
  };
  return Object.freeze({
    request,
    viewer,
    ui,
    params: params as Record<string, string>,
    query: nestedQuery,
    input,
    address,
    get: async (path) => answerOf(await call("GET", path)),
    async find(path) {
      const response = await call("GET", path);
      return response.status === 403 || response.status === 404 ? undefined : answerOf(response);
    },
    item: async (kind, where) => readItem(readers(), kind, reader, where),
    findItem: async (kind, where) => findItem(readers(), kind, reader, where),
    items: async (kind, where) => listItems(readers(), kind, reader, where),
    async send(method, path, body) {
      const response = await call(method, path, body);
      return response.ok ? { ok: true, body: await bodyOf(response) } : errorsOf(response);
    },
    call,
    goTo(path, notice, link) {
      const sent = new Headers({ location: root + ownPath(path) });
      if (notice !== undefined) sent.append("set-cookie", storeNotice(notice, root, link));
      return new Response(null, { status: 303, headers: sent });
    },
    text(field) {
      const value = input[field];
      return typeof value === "string" || typeof value === "number" ? String(value) : "";
    },
  } satisfies Visit);
}

function headersOf({ headers }: Request): Record<string, string> {
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** The answer in a response; `Answers` has its type, that of the route's schema. Throws the error of a request that failed. */
async function answerOf<T>(response: Response): Promise<T> {
  if (!response.ok) throw await errorOf(response);
  return bodyOf(response);
}

async function bodyOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  // The schema of the route; undefined is the answer of a route that answers none.
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

async function errorOf(response: Response): Promise<ApiError> {
  const { message } = await errorsOf(response);
  return new ApiError(response.status, message);
}

async function errorsOf(response: Response): Promise<Extract<SubmitResult<never>, { ok: false }>> {
  const text = await response.text();
  const { error = {} } = (text.startsWith("{") ? JSON.parse(text) : {}) as {
    error?: { message?: string; validation?: Record<string, string[]> };
  };
  return {
    ok: false,
    status: response.status,
    message: error.message ?? "",
    errors: error.validation ?? {},
  };
}
