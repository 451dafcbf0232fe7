import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ApiError } from "../errors.ts";
import { createTexts } from "../i18n/catalogue.ts";
import type { InputObject } from "../input/body_parsing.ts";
import { uploadOf } from "../input/uploads.ts";
import { type Rules, rules, validate } from "./validate.ts";

const texts = createTexts();
const pageRules = rules({
  book_id: ["required_without:chapter_id", "integer"],
  chapter_id: ["required_without:book_id", "integer"],
  name: ["required", "string", "max:255"],
  html: ["required_without:markdown", "string"],
  markdown: ["required_without:html", "string"],
  tags: ["array"],
  priority: ["integer"],
});
const changed = rules({
  name: ["string", "min:1", "max:255"],
  description: ["string", "max:10"],
  image: ["nullable", "image_extension", "mimes:jpeg,png", "max:1"],
  flag: ["boolean"],
});
const overrides = rules({
  role_permissions: ["array"],
  "role_permissions.*.role_id": ["required", "int", "exists:roles,id"],
  "role_permissions.*.view": ["required", "boolean"],
  fallback: ["nullable"],
  "fallback.inheriting": ["required_with:fallback", "boolean"],
  "fallback.view": ["required_if:fallback.inheriting,false", "boolean"],
});

async function judged(spec: Rules, input: InputObject): Promise<unknown> {
  try {
    return await validate(spec, input, {
      texts,
      lookups: {
        exists: async (_args, value) => Number(value) < 100,
        unique: async (_args, value) => value !== "taken@example.com",
      },
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect([error.status, error.message]).toEqual([422, "The given data was invalid."]);
    return error.details.validation;
  }
}

const image = (name: string, content: string | Uint8Array<ArrayBuffer>) => uploadOf(new File([content], name));
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 0]);

describe("validate() lists every fault by field, in rule order", () => {
  test("of an empty page", async () => {
    expect(await judged(pageRules, {})).toEqual({
      book_id: ["The book id field is required when chapter id is not present."],
      chapter_id: ["The chapter id field is required when book id is not present."],
      name: ["The name field is required."],
      html: ["The html field is required when markdown is not present."],
      markdown: ["The markdown field is required when html is not present."],
    });
  });

  test("of a page with everything wrong", async () => {
    expect(
      await judged(pageRules, {
        book_id: "abc",
        chapter_id: 1.5,
        name: "n".repeat(256),
        html: 5,
        markdown: null,
        tags: "x",
        priority: [],
      }),
    ).toEqual({
      book_id: ["The book id must be an integer."],
      chapter_id: ["The chapter id must be an integer."],
      name: ["The name may not be greater than 255 characters."],
      html: ["The html must be a string."],
      markdown: ["The markdown must be a string."],
      tags: ["The tags must be an array."],
      priority: ["The priority must be an integer."],
    });
  });

  test("of null and of empty names on an update", async () => {
    expect(await judged(changed, { name: null })).toEqual({
      name: ["The name must be a string.", "The name must be at least 1 characters."],
    });
    expect(await judged(changed, { name: "" })).toEqual({ name: ["The name must be at least 1 characters."] });
  });

  test("of files that are no pictures, too large, or no files at all", async () => {
    const mimes = "The image must be a file of type: jpeg, png.";
    const extension = "The image must have a valid & supported image extension.";
    expect(await judged(changed, { image: image("notes.txt", "plain") })).toEqual({ image: [extension, mimes] });
    expect(await judged(changed, { image: image("notes.png", "plain") })).toEqual({ image: [mimes] });
    expect(await judged(changed, { image: image("dot.txt", PNG) })).toEqual({ image: [extension] });
    expect(await judged(changed, { image: "a" })).toEqual({ image: [extension, mimes] });
    const large = new Uint8Array(1025);
    large.set(PNG);
    expect(await judged(changed, { image: image("dot.png", large) })).toEqual({
      image: ["The image may not be greater than 1 kilobytes."],
    });
  });

  test("of nested fields, with their indexes, with lookups of valid values only", async () => {
    expect(
      await judged(overrides, { role_permissions: [{}, { role_id: 100, view: "yes" }], fallback: { inheriting: "0" } }),
    ).toEqual({
      "role_permissions.0.role_id": ["The role_permissions.0.role_id field is required."],
      "role_permissions.0.view": ["The role_permissions.0.view field is required."],
      "role_permissions.1.role_id": ["The selected role_permissions.1.role_id is invalid."],
      "role_permissions.1.view": ["The role_permissions.1.view field must be true or false."],
      "fallback.view": ["The fallback.view field is required when fallback.inheriting is 0."],
    });
    expect(await judged(overrides, { fallback: { inheriting: false } })).toEqual({
      "fallback.view": ["The fallback.view field is required when fallback.inheriting is false."],
    });
  });

  test("of fields required with or without several others", async () => {
    const spec = rules({ a_b: ["required_without:c_d,e", "string"], f: ["required_with:c_d,e", "string"] });
    expect(await judged(spec, { e: "x" })).toEqual({
      a_b: ["The a b field is required when c d / e is not present."],
      f: ["The f field is required when c d / e is present."],
    });
    expect(await judged(spec, { c_d: "x", e: "x", f: "y" })).toEqual({ f: "y" });
  });

  test("of an attachment without file and link, or with a text in place of a file", async () => {
    const spec = rules({
      file: ["required_without:link", "file", "max:3"],
      link: ["required_without:file", "string", "min:1", "max:2000", "safe_url"],
    });
    expect(await judged(spec, { file: "", link: "" })).toEqual({
      file: ["The file field is required when link is not present."],
      link: ["The link field is required when file is not present."],
    });
    expect(await judged(spec, { file: "cat" })).toEqual({ file: ["The file must be provided as a valid file."] });
    expect(await judged(rules({ flag: ["boolean"], other: ["boolean"] }), { flag: "", other: "0" })).toEqual({
      other: false,
    });
    expect(await judged(spec, { file: "", link: "https://example.com" })).toEqual({ link: "https://example.com" });
    expect(await judged(spec, { file: image("notes.txt", "x".repeat(3073)) })).toEqual({
      file: ["The file may not be greater than 3 kilobytes."],
    });
  });

  test("of lists beyond the limit of elements", async () => {
    const spec = rules({ roles: ["array"], "roles.*": ["integer"] });
    expect(await judged(spec, { roles: [...Array.from({ length: 1000 }, () => 1), "x"] })).toEqual({
      roles: ["The roles may not have more than 1000 items."],
    });
    expect(await judged(spec, { roles: Array.from({ length: 1000 }, () => 1) })).toHaveProperty("roles.999", 1);
  });

  test("of lists in place of a text", async () => {
    expect(await judged(rules({ type: ["in:a,b"] }), { type: ["a"] })).toEqual({
      type: ["The selected type is invalid."],
    });
    expect(await judged(rules({ tags: ["array", "min:2"] }), { tags: ["a"] })).toEqual({
      tags: ["The tags must have at least 2 items."],
    });
  });
});

test.each(["plain", "a@", "@b.c", "a b@c.d", "a@b..c", ".a@b.c", `${"a".repeat(65)}@b.c`, "a@-b.c"])(
  "the e-mail address %p is refused",
  async (email) => {
    expect(await judged(rules({ email: ["email"] }), { email })).toEqual({
      email: ["The email must be a valid email address."],
    });
  },
);

test.each(["a@b", "ada.lovelace+x@example.co.uk", "ünï@exämple.de"])(
  "the e-mail address %p is accepted",
  async (email) => {
    expect(await judged(rules({ email: ["email"] }), { email })).toEqual({ email });
  },
);

test.each(["javascript:alert(1)", "  JavaScript:x", "data:text/html,x"])("the link %p is refused", async (link) => {
  expect(await judged(rules({ link: ["safe_url"] }), { link })).toEqual({
    link: ["The provided link may not be safe."],
  });
});

test.each([2_147_483_648, "99999999999999999999", 1e20, "012", "1e3", "0x10", " "])(
  "the integer %p never reaches the store",
  async (value) => {
    const result = (await judged(rules({ id: ["required", "integer"] }), { id: value })) as { id: string[] };
    expect(result.id[0]).toStartWith("The id ");
  },
);

test("validate() throws nothing but ApiError for any input", async () => {
  const anything = fc.dictionary(
    fc.constantFrom("book_id", "name", "html", "tags", "role_permissions", "fallback", "image"),
    fc.anything() as fc.Arbitrary<never>,
  );
  await fc.assert(
    fc.asyncProperty(
      anything,
      fc.constantFrom(pageRules, changed, overrides),
      async (input, spec) => void (await judged(spec as Rules, input)),
    ),
    { numRuns: 500 },
  );
});

test("validate() looks up the converted value", async () => {
  const asked: unknown[] = [];
  const exists = async (args: readonly string[], value: unknown) => asked.push([...args, value]) > 0;
  const spec = rules({ id: ["integer", "exists:entities,id,type,page"] });
  await validate(spec, { id: "12" }, { texts, lookups: { exists } });
  await validate(spec, { id: "x" }, { texts, lookups: { exists } }).catch(() => {});
  await validate(spec, { id: "" }, { texts, lookups: { exists } });
  expect(asked).toEqual([["entities", "id", "type", "page", 12]]);
});

test("validate() uses the given language, and English where that lacks a text", async () => {
  const own = createTexts();
  own.add("de", { "validation.required": "Das Feld :attribute fehlt.", "validation.invalid": "Ungültig." });
  const spec = rules({ book_id: ["required"], name: ["string"] });
  const error = (await validate(spec, { name: 5 }, { texts: own, language: "de" }).catch(
    (thrown) => thrown,
  )) as ApiError;
  expect([error.message, error.details.validation]).toEqual([
    "Ungültig.",
    { book_id: ["Das Feld book id fehlt."], name: ["The name must be a string."] },
  ]);
});

test("an unknown rule throws", async () => {
  const error = await validate(rules({ name: ["strong"] }), {}, { texts }).catch((thrown) => thrown);
  expect(String(error)).toContain('there is no rule "strong"');
});
