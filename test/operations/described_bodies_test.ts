/**
 * The OpenAPI document holds: a body and a query that are made from what it describes are accepted, for each operation; where what
 * the store holds refuses one, the list below says so. Every answer is as the document says, by a judge that knows nothing else: the
 * status is named, and a body has the described fields alone. So are refusals, of guests, of who may nothing, of ids that there
 * are not and of bodies that cannot be meant.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { BodySampler, type Extent, FILE, formPairs, type Schema } from "../support/data/described_bodies.ts";
import { PERMITS } from "../support/data/route_permits.ts";
import { png } from "../support/data/sample_pictures.ts";
import { portable } from "../support/data/sample_zips.ts";
import { type DocumentJudge, documentJudge } from "../support/harness/document_judge.ts";
import { stagedRequests } from "../support/harness/staged_requests.ts";
import { bootTestRuntime, type RequestOptions, type TestRuntime } from "../support/harness/test_runtime.ts";

const EXTENTS: readonly Extent[] = ["least", "most", "some", "some", "some"];

/** What no schema can say, by operation. */
const REFUSED: Readonly<Record<string, string>> = {
  "GET /api/pages/:id/revisions/:revisionId/compare": "there is no such revision",
  "POST /api/pages/:id/merge": "the revision that it starts from is no longer kept, or has another format",
  "PUT /api/books/:id/order": "an item is listed in two books",
  "POST /api/comments": "the page has no such passage",
  "PUT /api/books/:id/order/entry": "the entry that it is to stand beside is not in the book",
  "POST /api/session": "the password is wrong",
  "GET /api/session": "there is no session",
  "PUT /api/users/me": "the current password is wrong",
  "DELETE /api/users/me": "the current password is wrong",
  "POST /api/users/me/email": "no mail is set up",
  "POST /api/users/me/email/:token": "there is no such link",
  "POST /api/register/invite/:token": "there is no such invitation",
  "POST /api/password/reset/:token": "there is no such link",
  "POST /api/password/email": "no mail is set up",
  "POST /api/notifications/unsubscribe/:user/:key": "there is no such link",
  "POST /api/mail/test": "no mail is set up",
  "PUT /api/settings": "of some settings no schema can say what they may be, such as a color with enough contrast",
};
/** It wants a WebSocket, which has no body. */
const WEBSOCKET = "GET /api/v1/agents/ws";

interface Operation {
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: Schema;
    readonly required?: boolean;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

let runtime: TestRuntime;
let operations: Operation[];
let judge: DocumentJudge;
let staged: ReturnType<typeof stagedRequests>;
let enrolment: Record<string, string>;
let dashboard: Record<string, string>;

setDefaultTimeout(240_000);
beforeAll(async () => {
  runtime = await bootTestRuntime({ env: { DASHBOARD_RATE_LIMIT_MAX: "0" } });
  staged = stagedRequests(runtime);
  const { body: document } = await runtime.ask("GET", "/api/openapi.json");
  judge = documentJudge(document);
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const [verb, own] = [method.toUpperCase(), path.replace(/\{(\w+)\}/g, ":$1")];
      return { ...operation, route: `${verb} ${own}`, method: verb, path: own };
    }),
  );
  const key = async (body: object) =>
    (await runtime.ask("POST", "/api/v1/dashboard/keys", { body: { token_name: "Key", ...body } })).body;
  const { token_key, token_secret } = await key({ integration_type: "enrolment", max_hosts_per_day: 1_000 });
  enrolment = { "x-auto-enrollment-key": token_key, "x-auto-enrollment-secret": token_secret };
  dashboard = { authorization: `Basic ${(await key({})).basic}` };
});
afterAll(() => runtime.stop());

/** The credentials of an operation that takes no token. */
async function credentialsFor(path: string): Promise<RequestOptions> {
  if (path.startsWith("/api/v1/auto-enrollment/")) return { as: null, headers: enrolment };
  if (/^\/api\/v1\/(hosts|settings|agents)\//.test(path)) {
    const { body } = await runtime.ask("POST", "/api/v1/dashboard/hosts", { body: { friendly_name: "Host" } });
    return { as: null, headers: { "x-api-id": body.api_id, "x-api-key": body.api_key } };
  }
  if (path.startsWith("/api/v1/") && !/^\/api\/v1\/dashboard\/(keys|hosts|numbers|history|usage)/.test(path))
    return { as: null, headers: dashboard };
  // A change of the own name or password leaves the administrator alone.
  return path.startsWith("/api/users/me") ? { as: (await runtime.person("somebody", ["access-api"])).token } : {};
}

/** A query string that fits the parameters; names of staged things stay in it. */
function queryOf({ parameters }: Operation, sampler: BodySampler, extent: Extent): string {
  const wanted = parameters.filter(({ in: place, required }) => place === "query" && (required || extent !== "least"));
  const pairs = wanted.flatMap(({ name, schema }): [string, unknown][] => {
    const value = sampler.value(schema, extent, name);
    if (typeof value !== "object" || value === null) return [[name, value]];
    return Object.entries(value).map(([key, one]) => [`${name}[${key}]`, one]);
  });
  return pairs
    .map(([name, value]) => `${name}=${/^\{\w+\}$/.test(String(value)) ? value : encodeURIComponent(String(value))}`)
    .join("&");
}

/** A request that the document describes. */
async function requestOf(operation: Operation, sampler: BodySampler, extent: Extent) {
  const [row] = PERMITS[operation.route] ?? [];
  const [path] = (row?.path ?? operation.path.replace(/:\w+/g, "1")).split("?") as [string];
  const query = queryOf(operation, sampler, extent);
  const { content = {} } = operation.requestBody ?? {};
  const schema = content["application/json"]?.schema ?? content["multipart/form-data"]?.schema;
  const { picture, archive } = row ?? {};
  const request = await staged({
    path: query === "" ? path : `${path}?${query}`,
    ...(schema ? { body: sampler.value(schema, extent) } : {}),
    ...(picture === undefined ? {} : { picture }),
    ...(archive === undefined ? {} : { archive }),
  });
  return { ...request, sent: { ...request.sent, ...(await credentialsFor(operation.path)) } };
}

const MULTIPART = "multipart/form-data";
const FORMS = [MULTIPART, "application/x-www-form-urlencoded"] as const;

/** The same with a form of a media type; undefined where the document has none. */
async function formOf(operation: Operation, media: (typeof FORMS)[number], sampler: BodySampler) {
  const schema = operation.requestBody?.content[media]?.schema;
  if (!schema) return undefined;
  const [row] = PERMITS[operation.route] ?? [];
  const path = row?.path ?? operation.path.replace(/:\w+/g, "1");
  const request = await staged({ path, body: sampler.value(schema, "most") });
  const pairs = formPairs(request.sent.body);
  const credentials = await credentialsFor(operation.path);
  if (media !== MULTIPART) return { path: request.path, sent: { ...credentials, form: Object.fromEntries(pairs) } };
  const isImport = operation.path === "/api/imports";
  const file = isImport
    ? new File([portable({ page: { name: "Packed" } })], "content.zip")
    : new File([png()], "dot.png");
  const parts = new FormData();
  for (const [name, value] of pairs) parts.append(name, value === FILE ? file : value);
  return { path: request.path, sent: { ...credentials, parts } };
}

/** Sends a request, and says what of its answer is not as the document says. */
async function judged({ method, path }: Operation, sentPath: string, sent: RequestOptions) {
  const { status, headers, body } = await runtime.ask(method, sentPath, sent);
  const shown = JSON.stringify(sent.body)?.slice(0, 300);
  const told = `${method} ${sentPath} ${shown}: ${status} ${JSON.stringify(body)?.slice(0, 300)}`;
  const answer = { status, type: headers.get("content-type"), body };
  const faults = judge(method, path.replace(/:(\w+)/g, "{$1}"), answer).map((fault) => `${fault} for ${told}`);
  return { status, faults, told };
}

test("every body that the document describes is accepted, and the answer is as it says", async () => {
  const found: string[] = [];
  const refused = new Set<string>();
  for (const [at, operation] of operations.filter(({ route }) => route !== WEBSOCKET).entries()) {
    const { parameters, requestBody, route } = operation;
    const hasInput = requestBody !== undefined || parameters.some((one) => one.in === "query");
    for (const [turn, extent] of (hasInput ? EXTENTS : EXTENTS.slice(0, 1)).entries()) {
      const sampler = new BodySampler(1_000 * at + turn);
      const { path, sent } = await requestOf(operation, sampler, extent);
      const { status, faults, told } = await judged(operation, path, sent);
      found.push(...faults);
      if (status >= 400) refused.add(route);
      if (status >= 400 && REFUSED[route] === undefined) found.push(`refused: ${told}`);
    }
  }
  expect(found).toEqual([]);
  expect(Object.keys(REFUSED).filter((route) => !refused.has(route))).toEqual([]);
  expect(operations.length).toBeGreaterThanOrEqual(162);
});

test("so is every form", async () => {
  const found: string[] = [];
  const sent = { [MULTIPART]: 0, "application/x-www-form-urlencoded": 0 };
  for (const [at, operation] of operations.entries())
    for (const media of FORMS) {
      const request = await formOf(operation, media, new BodySampler(at));
      if (!request) continue;
      const { status, faults, told } = await judged(operation, request.path, request.sent);
      sent[media] += 1;
      found.push(...faults);
      if (status >= 400 && REFUSED[operation.route] === undefined) found.push(`refused as ${media}: ${told}`);
    }
  expect(found).toEqual([]);
  expect(Math.min(...Object.values(sent))).toBeGreaterThanOrEqual(39);
});

/** An id that nothing has. */
const NOTHING = 987_654_321;
/** A value of no field of a body but one that takes any. */
const NO_VALUE = [{ a: [1] }];

/** The same request with a value that names nothing in each field of the body that names a thing by its id. */
function toNothing(body: unknown): unknown {
  if (typeof body !== "object" || body === null || body instanceof FormData) return body;
  const renamed = Object.entries(body).map(([key, value]) => [key, /_id$|^uploaded_to$/.test(key) ? NOTHING : value]);
  return Object.fromEntries(renamed);
}

/** Requests that are refused, or that ask for what makes no sense. */
async function wrongRequests(operation: Operation, nobody: string): Promise<[string, RequestOptions][]> {
  const { path, sent } = await requestOf(operation, new BodySampler(7), "most");
  const [plain, query] = path.split("?");
  const named = operation.parameters.filter((one) => one.in === "query");
  const wrong = named.map(({ name }) => `${name}=%00`).join("&");
  const missing = operation.path.replace(/:\w+/g, String(NOTHING)) + (query === undefined ? "" : `?${query}`);
  const { body, parts: _, ...credentials } = sent;
  const fields = typeof body === "object" && body !== null ? Object.keys(body) : [];
  const own: [string, RequestOptions][] = [
    [path, { ...sent, as: null, headers: {} }],
    [path, { ...sent, as: nobody, headers: {} }],
    [missing, sent],
    [operation.path.replace(/:\w+/g, "x"), sent],
    [`${plain}?${wrong}`, sent],
  ];
  if (operation.method === "GET") return own;
  return [
    ...own,
    [path, { ...credentials, body: toNothing(body) }],
    [path, { ...credentials, body: Object.fromEntries(fields.map((field) => [field, NO_VALUE])) }],
    [path, { ...credentials, body: "{" }],
    [path, { ...credentials, body: {} }],
  ];
}

test("refusals are as the document says: their status is named, and their body is that of an error", async () => {
  const { token } = await runtime.person("nobody", ["access-api"]);
  const found: string[] = [];
  const statuses = new Set<number>();
  for (const operation of operations.filter(({ route }) => route !== WEBSOCKET))
    for (const [path, sent] of await wrongRequests(operation, token)) {
      const { status, faults } = await judged(operation, path, sent);
      statuses.add(status);
      found.push(...faults);
    }
  expect(found).toEqual([]);
  expect([400, 401, 403, 404, 422].filter((status) => !statuses.has(status))).toEqual([]);
});
