/**
 * What every request passes before its route, and every answer after it (content-api 1.1 to 1.4, platform 1.1): sizes, formats,
 * methods and their overrides, unknown paths, and the headers of each answer. Requests are built by hand, since a polite client
 * could not send half of them.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const MAX_BODY = 20_000;
const TOO_LARGE = "The server cannot receive the provided amount of data. Try again with less data or a smaller file.";
const NO_JSON = "The request body could not be parsed as JSON.";
const FORM = "application/x-www-form-urlencoded";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ env: { MAX_BODY_BYTES: String(MAX_BODY) } });
});
afterAll(() => runtime.stop());

/** Sends a body as it is; a type of undefined sends none. */
async function send(method: string, path: string, body?: RequestInit["body"], headers: Record<string, string> = {}) {
  const init = { method, headers: { authorization: `Token ${runtime.token}`, ...headers } };
  const request = new Request(`http://localhost${path}`, body === undefined ? init : { ...init, body });
  const response = await runtime.runtime.http.handle(request, "127.0.0.1");
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : JSON.parse(text) };
}

const json = (method: string, path: string, body: string, headers: Record<string, string> = {}) =>
  send(method, path, body, { "content-type": "application/json", ...headers });
const failure = (code: number, message: string) => ({ error: { message, code } });
const book = async (name = "Book") => (await runtime.ask("POST", "/api/books", { body: { name } })).body.id as number;
const nameOf = async (id: number) => (await runtime.ask("GET", `/api/books/${id}`)).body.name;

test("every answer, refusals included, carries the fixed headers and those of the limit", async () => {
  const answers = [
    await send("GET", "/api/books"),
    await send("GET", "/api/books/999"),
    await send("GET", "/api/nothing"),
    await send("PATCH", "/api/books"),
    await send("OPTIONS", "/api/books"),
    await send("POST", "/api/books"),
    await json("POST", "/api/books", "{"),
    await send("GET", "/api/books", undefined, { authorization: "Token no:body" }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 404, 405, 200, 422, 400, 401]);
  for (const { status, headers, text } of answers) {
    expect(headers.get("cache-control")).toBe("no-cache, no-store, private");
    expect(headers.get("expires")).toBe("Sun, 12 Jul 2015 19:01:00 GMT");
    expect(headers.get("x-ratelimit-limit")).toBe("1000000");
    expect(Number(headers.get("x-ratelimit-remaining"))).toBeGreaterThan(0);
    expect(headers.get("retry-after")).toBeNull();
    if (text !== "") expect([status, headers.get("content-type")]).toEqual([status, "application/json"]);
  }
});

test("a path nobody serves is a JSON 404 for everybody and every method", async () => {
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
    for (const authorization of [`Token ${runtime.token}`, "", "Bearer x"]) {
      const { status, body } = await send(method, "/api/xyz/1/", undefined, { authorization });
      expect([method, status, body]).toEqual([method, 404, failure(404, "The route api/xyz/1 could not be found.")]);
    }
  }
  expect((await send("GET", "/nowhere")).body).toEqual(failure(404, "The route nowhere could not be found."));
  expect((await send("GET", "/apibooks")).status).toBe(404);
  expect((await send("GET", "/API/books")).status).toBe(404);
});

test("a method that a path does not know is a 405 with Allow", async () => {
  const { status, headers, body } = await send("PATCH", "/api/books");
  const text = "The PATCH method is not supported for route api/books. Supported methods: GET, HEAD, POST.";
  expect([status, headers.get("allow"), body]).toEqual([405, "GET, HEAD, POST", failure(405, text)]);
  expect((await send("POST", "/api/books/1")).headers.get("allow")).toBe("GET, HEAD, PUT, DELETE");
  expect((await json("DELETE", "/api/books", "{}", { authorization: "" })).status).toBe(405);
});

test("OPTIONS answers the methods of a path without a body; HEAD is GET without a body", async () => {
  const options = await send("OPTIONS", "/api/books/7");
  expect([options.status, options.headers.get("allow"), options.text]).toEqual([200, "GET, HEAD, PUT, DELETE", ""]);
  const id = await book();
  const head = await send("HEAD", `/api/books/${id}`);
  expect([head.status, head.text, head.headers.get("content-type")]).toEqual([200, "", "application/json"]);
  expect((await send("HEAD", "/api/books/99999")).status).toBe(404);
  expect((await send("HEAD", "/api/books", undefined, { authorization: "" })).status).toBe(401);
});

test("a path of 8,192 characters is looked up, one beyond is a 414 for everybody, whatever it names", async () => {
  const path = (length: number, start = "/api") => `${start}${"/".repeat(length - start.length - 1)}x`;
  const refusal = failure(414, "The path of a request may not be longer than 8192 characters.");
  for (const authorization of ["", undefined]) {
    const headers = authorization === undefined ? {} : { authorization };
    for (const start of ["/api", ""]) {
      expect((await send("GET", path(8_192, start), undefined, headers)).status).toBe(404);
      const { status, body } = await send("GET", path(8_193, start), undefined, headers);
      expect([start, status, body]).toEqual([start, 414, refusal]);
    }
  }
  expect((await send("DELETE", path(15_900))).body).toEqual(refusal);
  expect((await send("HEAD", path(8_193))).text).toBe("");
  expect((await send("GET", `/api/books?filter[name]=${"x".repeat(8_193)}`)).status).toBe(200);
  const german = await send("GET", path(8_193), undefined, { "accept-language": "de" });
  expect(german.body.error.message).toBe("Der Pfad einer Anfrage darf höchstens 8192 Zeichen haben.");
});

test("a slash at the end of a path changes nothing", async () => {
  const id = await book("Slash");
  expect((await send("GET", `/api/books/${id}/`)).body.name).toBe("Slash");
  expect((await send("GET", "/api/books/?count=1")).body.data).toHaveLength(1);
  expect((await json("PUT", `/api/books/${id}/`, '{"name":"Other"}')).status).toBe(200);
  expect((await send("DELETE", `/api/books/${id}/`)).status).toBe(204);
});

test("what cannot be decoded in a path names nothing", async () => {
  for (const id of ["%ff", "%2", "%zz", "%c0%80", "%00", "1%00"]) {
    expect((await send("GET", `/api/pages/${id}`)).body).toEqual(failure(404, "Page not found"));
    expect((await json("PUT", `/api/books/${id}`, '{"name":"x"}')).body).toEqual(failure(404, "Book not found"));
    expect((await send("GET", `/api/${id}`)).status).toBe(404);
    expect((await json("POST", `/api/register/invite/${id}`, '{"password":"long enough"}')).status).toBeLessThan(500);
  }
});

test("a POST with a method override is what header, form, JSON or query say, in any case", async () => {
  const id = await book();
  const path = `/api/books/${id}`;
  const parts = new FormData();
  parts.set("_method", "put");
  parts.set("name", "by parts");
  const disguises: readonly [string, () => Promise<{ status: number }>][] = [
    ["by header", () => json("POST", path, '{"name":"by header"}', { "x-http-method-override": "pUt" })],
    ["by json", () => json("POST", path, '{"_method":"Put","name":"by json"}')],
    ["by form", () => send("POST", path, "_method=PUT&name=by+form", { "content-type": FORM })],
    ["by parts", () => send("POST", path, parts)],
    ["by query", () => json("POST", `${path}?_method=PUT`, '{"name":"by query"}')],
    [
      "header wins",
      () => json("POST", path, '{"_method":"DELETE","name":"header wins"}', { "x-http-method-override": "PUT" }),
    ],
    ["body wins", () => json("POST", `${path}?_method=DELETE`, '{"_method":"PUT","name":"body wins"}')],
  ];
  for (const [name, ask] of disguises) {
    expect([name, (await ask()).status]).toEqual([name, 200]);
    expect(await nameOf(id)).toBe(name);
  }
  expect((await send("POST", path, undefined, { "x-http-method-override": "DELETE" })).status).toBe(204);
});

test("no override turns a request into a GET, and only a POST may have one", async () => {
  const id = await book("Stays");
  const path = `/api/books/${id}`;
  for (const method of ["GET", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PUT, DELETE", ""]) {
    const answer = await json("POST", path, "{}", { "x-http-method-override": method });
    expect([method, answer.status]).toEqual([method, 405]);
    expect((await json("POST", path, JSON.stringify({ _method: method }))).status).toBe(405);
  }
  for (const value of [5, null, true, ["DELETE"], { a: "DELETE" }])
    expect((await json("POST", path, JSON.stringify({ _method: value }))).status).toBe(405);
  const disguised = { "x-http-method-override": "DELETE" };
  expect((await send("GET", `${path}?_method=DELETE`, undefined, disguised)).body.name).toBe("Stays");
  expect((await json("PUT", path, '{"_method":"DELETE"}', disguised)).body.name).toBe("Stays");
  expect((await json("POST", "/api/books", '{"name":"New"}', { "x-http-method-override": "GET" })).status).toBe(200);
  expect(await nameOf(id)).toBe("Stays");
});

test("a method that nobody serves is refused as an override too, and nothing is created", async () => {
  const { total } = (await send("GET", "/api/books")).body;
  const refusal = failure(
    405,
    "The FOO method is not supported for route api/books. Supported methods: GET, HEAD, POST.",
  );
  const name = '{"name":"By mistake"}';
  for (const answer of [
    await json("POST", "/api/books", '{"_method":"foo","name":"By mistake"}'),
    await json("POST", "/api/books?_method=FOO", name),
    await json("POST", "/api/books", name, { "x-http-method-override": "Foo" }),
    await send("POST", "/api/books", "_method=FOO&name=By+mistake", { "content-type": FORM }),
  ])
    expect([answer.status, answer.headers.get("allow"), answer.body]).toEqual([405, "GET, HEAD, POST", refusal]);
  // Names of the router's own.
  for (const method of ["TRACE", "OPTIONS", "ALL", "WS"])
    expect([method, (await json("POST", `/api/books?_method=${method}`, name)).status]).toEqual([method, 405]);
  expect((await json("POST", "/api/xyz?_method=FOO", "{}")).status).toBe(404);
  const nonsense = await json("POST", `/api/books?_method=${"x".repeat(30)}`, name);
  expect(nonsense.body).toEqual(failure(400, "The method that overrides POST is not the name of a method."));
  expect((await json("POST", "/api/books?_method=a+b", name, { authorization: "Token no:body" })).status).toBe(401);
  expect((await send("GET", "/api/books")).body.total).toBe(total);
});

test("a request with two hosts is refused, whatever it asks for", async () => {
  const server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: (request) => runtime.runtime.http.handle(request, "127.0.0.1"),
  });
  const answerTo = (hosts: readonly string[]) => {
    const answer = Promise.withResolvers<string>();
    const socket = connect(server.port ?? 0, "127.0.0.1");
    let text = "";
    socket.on("data", (data) => {
      text += data.toString();
    });
    socket.on("close", () => answer.resolve(text));
    socket.on("error", answer.reject);
    const lines = [
      ...hosts.map((host) => `host: ${host}`),
      `authorization: Token ${runtime.token}`,
      "connection: close",
    ];
    socket.write(`GET /api/books?count=1 HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    return answer.promise;
  };
  expect(await answerTo(["localhost"])).toStartWith("HTTP/1.1 200");
  for (const hosts of [
    ["localhost", "other.example"],
    ["localhost", "localhost"],
  ]) {
    const answer = await answerTo(hosts);
    expect(answer).toStartWith("HTTP/1.1 400");
    expect(answer).toEndWith(JSON.stringify(failure(400, "A request has one Host header.")));
  }
  await server.stop(true);
});

test("a refused request is answered as refused, even where the override is in a body that is not read", async () => {
  const id = await book("Kept");
  const wrong = { "content-type": FORM, authorization: "Token adminid:wrong" };
  const refused = await send("POST", `/api/books/${id}`, "_method=DELETE", wrong);
  const text = "The secret provided for the given used API token is incorrect";
  expect([refused.status, refused.body]).toEqual([401, failure(401, text)]);
  expect((await send("POST", "/api/xyz", "_method=DELETE", wrong)).status).toBe(404);
  expect(await nameOf(id)).toBe("Kept");
});

test("a body of a type nobody reads is as good as none", async () => {
  const types = ["text/plain", "application/xml", "", ";", "application/jsonx", "image/png", "multipart/mixed"];
  for (const type of types) {
    const { status, body } = await send("POST", "/api/books", '{"name":"x"}', { "content-type": type });
    expect([type, status, body.error.validation]).toEqual([type, 422, { name: ["The name field is required."] }]);
  }
});

test("what claims to be JSON and is not is a 400, and known formats are read on every method", async () => {
  const bytes = new Uint8Array([0x7b, 0x22, 0x6e, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
  for (const body of ["{", "nonsense", '{"name":"a",}', "{'name':'a'}", '{"name":NaN}', bytes]) {
    const answer = await send("POST", "/api/books", body, { "content-type": "application/json" });
    expect([answer.status, answer.body]).toEqual([400, failure(400, NO_JSON)]);
  }
  for (const body of ["", " ", "[]", "5", "null", '"name"'])
    expect((await json("POST", "/api/books", body)).status).toBe(422);
  const types = ["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.api+json"];
  for (const type of types)
    expect((await send("POST", "/api/books", '{"name":"x"}', { "content-type": type })).status).toBe(200);
  const id = await book();
  await send("PUT", `/api/books/${id}`, "name=by+form&tags[0][name]=a", { "content-type": FORM });
  expect(await nameOf(id)).toBe("by form");
  expect((await json("POST", "/api/books", "{", { authorization: "" })).status).toBe(401);
});

test("parts without a boundary, or with a wrong one, are a 400", async () => {
  const text = '--b\r\ncontent-disposition: form-data; name="name"\r\n\r\nx\r\n--b--\r\n';
  for (const type of ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=c"]) {
    const { status, body } = await send("POST", "/api/books", text, { "content-type": type });
    const message = "The request body could not be parsed as multipart form data.";
    expect([type, status, body]).toEqual([type, 400, failure(400, message)]);
  }
  expect((await send("POST", "/api/books", text, { "content-type": "multipart/form-data; boundary=b" })).status).toBe(
    200,
  );
});

test("a body that announces too much is a 413 before anybody asks who sends it", async () => {
  for (const authorization of [`Token ${runtime.token}`, "", "Bearer x"]) {
    const headers = { authorization, "content-length": String(MAX_BODY + 1) };
    const { status, body } = await json("POST", "/api/books", "{}", headers);
    expect([status, body]).toEqual([413, failure(413, TOO_LARGE)]);
  }
  expect((await json("POST", "/api/books", "{}", { "content-length": "1e99" })).status).toBe(413);
  expect((await json("POST", "/api/books", '{"name":"x"}', { "content-length": String(MAX_BODY) })).status).toBe(200);
});

test("a body in chunks is read until it is too much, and no further", async () => {
  let pulled = 0;
  const endless = new ReadableStream({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new TextEncoder().encode("x".repeat(4_000)));
    },
  });
  const { status, body } = await send("POST", "/api/books", endless, { "content-type": "application/json" });
  expect([status, body]).toEqual([413, failure(413, TOO_LARGE)]);
  expect(pulled).toBeLessThan(20);
  const small = new Blob(['{"name":', '"in chunks"}']).stream();
  expect((await send("POST", "/api/books", small, { "content-type": "application/json" })).body.name).toBe("in chunks");
});
