import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ApiError } from "../errors.ts";
import {
  defaultInputLimits,
  type InputObject,
  methodOverride,
  parseBody,
  parseQuery,
  trimmed,
  withEmptyAsNull,
} from "./body_parsing.ts";
import { isUpload } from "./uploads.ts";

function request(body: string | FormData | Uint8Array<ArrayBuffer>, type?: string): Request {
  return new Request("http://localhost/api/books", {
    method: "POST",
    body,
    headers: type === undefined ? {} : { "content-type": type },
  });
}

async function refusal(run: Promise<unknown>): Promise<string> {
  const error = await run.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  return `${(error as ApiError).status} ${(error as ApiError).message}`;
}

describe("parseQuery()", () => {
  test("nests brackets, keeps the last of equal names and a further question mark", () => {
    expect(parseQuery("filter[name:like]=%25a&tags[0][name]=x&tags[0][value]=y&books[]=1&books[]=2")).toEqual({
      filter: { "name:like": "%a" },
      tags: [{ name: "x", value: "y" }],
      books: ["1", "2"],
    });
    expect(parseQuery("count=100&offset=0?count=100&offset=100")).toEqual({ count: "100", offset: "100" });
    expect(parseQuery("sort=+name&bad=%zz%")).toEqual({ sort: " name", bad: "%zz%" });
  });

  test("appends names with empty brackets to a list", () => {
    expect(parseQuery("tags[][name]=a&tags[][name]=b")).toEqual({ tags: [{ name: "a" }, { name: "b" }] });
  });

  test("drops names of prototypes", () => {
    parseQuery("__proto__[polluted]=1&a[constructor][prototype][polluted]=1");
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("continues empty brackets after the highest index", () => {
    expect(parseQuery("books[5]=a&books[]=b&books[]=c")).toEqual({ books: { 5: "a", 6: "b", 7: "c" } });
  });

  test("leaves out fields beyond the limits", () => {
    expect(parseQuery(`deep${"[x]".repeat(64)}=1&count=5`)).toEqual({ count: "5" });
    expect(parseQuery("a=1&b=2&c=3", { ...defaultInputLimits, maxFields: 2 })).toEqual({ a: "1", b: "2" });
  });

  test("takes no more names in brackets than the limit", () => {
    const limits = { ...defaultInputLimits, maxNames: 4 };
    expect(parseQuery("a[b][c]=1&d[e]=2&f=3", limits)).toEqual({ a: { b: { c: "1" } }, f: "3" });
  });

  test("never throws", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom("a", "[", "]", "=", "&", "%", "0", "_proto_", ".", "\0", "ü"),
          maxLength: 60,
        }),
        (search) => {
          trimmed(parseQuery(search, { ...defaultInputLimits, maxDepth: 3, maxFields: 5 }));
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe("parseBody()", () => {
  test("refuses forms whose names have more brackets than the limit in all", async () => {
    const names = Array.from({ length: 2_000 }, (_, at) => `a${at}${"[1]".repeat(20)}`);
    const text = names.map((name) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n1\r\n`).join("");
    const forms = [
      request(`${text}--x--\r\n`, "multipart/form-data; boundary=x"),
      request(names.map((name) => `${name}=1`).join("&"), "application/x-www-form-urlencoded"),
    ];
    for (const form of forms)
      await expect(parseBody(form)).rejects.toThrow("The request has more than the 30000 names in brackets allowed.");
  });

  test("parses JSON objects; any other JSON is an empty object", async () => {
    expect(await parseBody(request('{"name":"x","tags":[{"name":"a"}]}', "application/json; charset=utf-8"))).toEqual({
      name: "x",
      tags: [{ name: "a" }],
    });
    expect(await parseBody(request("[1,2]", "application/json"))).toEqual({});
    expect(await parseBody(request("", "application/json"))).toEqual({});
    expect(await parseBody(request('{"name":"x"}', "text/plain"))).toEqual({});
  });

  test("refuses JSON that is malformed, not UTF-8, or nested too deeply", async () => {
    const text = "400 The request body could not be parsed as JSON.";
    expect(await refusal(parseBody(request("{name: x}", "application/json")))).toBe(text);
    expect(await refusal(parseBody(request(new Uint8Array([0x22, 0xff, 0x22]), "application/json")))).toBe(text);
    expect(await refusal(parseBody(request(`{"a":${"[".repeat(65)}${"]".repeat(65)}}`, "application/json")))).toBe(
      "400 The request nests values more than 64 deep.",
    );
    expect(await refusal(parseBody(request("[".repeat(200_000), "application/json")))).toStartWith("400 ");
  });

  test("parses forms of both kinds, with files, and does not parse text as JSON", async () => {
    expect(
      await parseBody(request("name=%5B1%5D&tags%5B0%5D%5Bname%5D=a", "application/x-www-form-urlencoded")),
    ).toEqual({ name: "[1]", tags: [{ name: "a" }] });
    const form = new FormData();
    form.set("name", "[1]");
    form.set("image", new File(["abc"], "a.png", { type: "image/png" }));
    form.set("empty", new File([], ""));
    const { image, ...rest } = await parseBody(request(form));
    expect(rest).toEqual({ name: "[1]" });
    if (!isUpload(image)) throw new Error("no upload");
    expect([image.name, image.size, new TextDecoder().decode(await image.head(2))]).toEqual(["a.png", 3, "ab"]);
  });

  test("refuses truncated multipart data and forms with too many fields", async () => {
    expect(await refusal(parseBody(request("--x\r\nContent-Dis", "multipart/form-data; boundary=x")))).toBe(
      "400 The request body could not be parsed as multipart form data.",
    );
    const many = Array.from({ length: 10_001 }, (_, index) => `f${index}=1`).join("&");
    expect(await refusal(parseBody(request(many, "application/x-www-form-urlencoded")))).toContain(
      "more than the 10000 fields allowed",
    );
  });
});

test("parseBody() parses a form without a body as an empty object", async () => {
  const type = { "content-type": "multipart/form-data; boundary=x" };
  expect(await parseBody(new Request("http://localhost/", { method: "POST", headers: type }))).toEqual({});
  expect(await parseBody(request("", "application/x-www-form-urlencoded"))).toEqual({});
});

test("parseBody() refuses JSON with too many values before it processes each", async () => {
  const refused = "400 The request has more than the 100000 values allowed.";
  for (const part of ["[],", "1,", '"a",'])
    expect(await refusal(parseBody(request(`{"a":[${part.repeat(100_000)}1]}`, "application/json")))).toBe(refused);
  const fits = await parseBody(request(`{"a":[${"1,".repeat(99_998)}1]}`, "application/json"));
  expect(fits.a).toHaveLength(99_999);
});

test("parseBody() refuses forms that nest too deeply, and counts fields before it parses them", async () => {
  const type = "application/x-www-form-urlencoded";
  expect(await refusal(parseBody(request(`a${"[b]".repeat(64)}=1`, type)))).toBe(
    "400 The request nests values more than 64 deep.",
  );
  const started = Bun.nanoseconds();
  expect(await refusal(parseBody(request("&".repeat(20_000_000), type)))).toContain("fields allowed");
  expect(Bun.nanoseconds() - started).toBeLessThan(1e10);
});

test("parseBody() parses any bytes of any type or throws a 400", async () => {
  const types = fc.constantFrom(
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "multipart/form-data",
    "text/plain",
  );
  const parts = fc.array(
    fc.constantFrom(
      ...["--x", "--x--", "\r\n", "\n", 'Content-Disposition: form-data; name="a[0][b]"', "; filename=", '"', "\0"],
      ...["{", "}", "[", "]", '"a":', "1", ",", "&", "=", "%", "\ud800", "é"],
    ),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(parts, types, async (pieces, type) => {
      const outcome = await parseBody(request(pieces.join(""), type)).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toHaveProperty("status", 400);
      else expect(trimmed(outcome as InputObject)).toBeObject();
    }),
    { numRuns: 1000 },
  );
});

test("parseBody() cleans the names of files, and does not parse text parts as JSON", async () => {
  const form = new FormData();
  form.set("a[0][file]", new File(["x"], "a\0b.png"));
  form.set("tags", '[{"name":"x"}]');
  const { a, tags } = await parseBody(request(form));
  const [item] = a as { file: unknown }[];
  if (!isUpload(item?.file)) throw new Error("no upload");
  expect(item.file.name).not.toContain("\0");
  expect(tags).toBe('[{"name":"x"}]');
});

test("trimmed() trims at every depth except passwords, and removes what PostgreSQL cannot store", () => {
  expect(
    trimmed({ name: "\u00a0\ufeff x\u200b\n", tags: [{ name: " a\0b " }], password: " p ", odd: "a\ud800" }),
  ).toEqual({
    name: "x",
    tags: [{ name: "ab" }],
    password: " p ",
    odd: "a\ufffd",
  });
});

test("trimmed() trims blanks, also next to a removed U+0000, and no other control characters", () => {
  expect(trimmed({ a: "\u0001x\u001f", b: " \0 x \0 ", c: "\u2003x\u0085\u3000" })).toEqual({
    a: "\u0001x\u001f",
    b: "x",
    c: "x",
  });
});

test("trimmed() takes linear time on long runs of blanks", () => {
  const started = Bun.nanoseconds();
  trimmed(`x${" ".repeat(1_000_000)}y${" ".repeat(1_000_000)}`);
  expect(Bun.nanoseconds() - started).toBeLessThan(1e10);
});

test("methodOverride() applies to POST only, and turns none into a read; the header takes precedence", () => {
  const post = (headers = {}) => new Request("http://localhost/", { method: "POST", headers });
  expect(methodOverride(post(), { _method: "put" }, {})).toBe("PUT");
  expect(methodOverride(post(), {}, { _method: "DELETE" })).toBe("DELETE");
  expect(methodOverride(post({ "X-HTTP-Method-Override": "PATCH" }), { _method: "PUT" }, {})).toBe("PATCH");
  expect(methodOverride(post({ "X-HTTP-Method-Override": "" }), { _method: "PUT" }, {})).toBe("PUT");
  expect(methodOverride(post(), { _method: " foo" }, {})).toBe("FOO");
  for (const method of ["GET", "HEAD", "POST", ""])
    expect(methodOverride(post(), { _method: method }, {})).toBeUndefined();
  expect(methodOverride(post(), { _method: ["PUT"] }, {})).toBeUndefined();
  expect(
    methodOverride(new Request("http://localhost/", { method: "PUT" }), { _method: "DELETE" }, {}),
  ).toBeUndefined();
});

test("withEmptyAsNull() reads empty text of an urlencoded body as null, of no other body and no query string", () => {
  const read = (type: string, input: InputObject, query: InputObject = {}) =>
    withEmptyAsNull(request("", type), { input, query }, ["logo"]);
  const form = "application/x-www-form-urlencoded; charset=UTF-8";
  expect(read(form, { name: "", logo: "" })).toEqual({ name: "", logo: null });
  expect(read(form, { name: "x" })).toEqual({ name: "x" });
  expect(read(form, { logo: "" }, { logo: "" })).toEqual({ logo: "" });
  expect(read("multipart/form-data; boundary=x", { logo: "" })).toEqual({ logo: "" });
});
