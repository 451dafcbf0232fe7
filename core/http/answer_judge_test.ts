import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { type AnswerMismatch, createAnswerJudge } from "./answer_judge.ts";
import { type AnswerSchemas, fileAnswer } from "./answer_schemas.ts";
import { fieldsOf, nullable, withContributedFields } from "./answer_types.ts";

const NOTE = Type.Object(
  { id: Type.Integer(), text: nullable(Type.String()), words: Type.Array(Type.Object({ word: Type.String() })) },
  { $id: "Note", ...fieldsOf("note", "read") },
);
const note = { id: 1, text: null, words: [{ word: "one" }] };
const contribution = (schema?: object) => ({
  kind: "note",
  moment: "read" as const,
  ...(schema && { schema: schema as never }),
  add: async () => new Map(),
});

async function judged(
  schemas: AnswerSchemas,
  value: unknown,
  fields: ReturnType<typeof contribution>[] = [],
  status = 200,
) {
  const found: AnswerMismatch[] = [];
  const judge = createAnswerJudge(
    (mismatch) => found.push(mismatch),
    (schema) => withContributedFields(schema, fields),
  );
  await judge({ route: "GET /api/notes/:id", schemas, value, status });
  return found.map(({ schema, path, message }) => `${schema}${path}: ${message}`);
}

test("an answer as its schema says is no mismatch, as a value or as a response", async () => {
  expect(await judged({ 200: NOTE }, note)).toEqual([]);
  expect(await judged({ 200: NOTE }, Response.json(note))).toEqual([]);
  expect(await judged({ 200: NOTE }, { ...note, absent: undefined })).toEqual([]);
});

test("wrong, missing and unknown keys are mismatches, with their place and type and without their value", async () => {
  expect(await judged({ 200: NOTE }, { ...note, id: "secret" })).toEqual(["Note/id: Expected integer, got string"]);
  expect(await judged({ 200: NOTE }, { id: 1, text: "" })).toEqual([
    "Note/words: Expected required property, got undefined",
  ]);
  expect(await judged({ 200: NOTE }, { ...note, words: [{ word: "", more: 1 }] })).toEqual([
    "Note/words/0/more: Unexpected property, got number",
  ]);
});

test("fields of other plugins are as they declare them; without a schema they may be any", async () => {
  const more = { ...note, claps: 3 };
  expect(await judged({ 200: NOTE }, more)).toEqual(["Note/claps: Unexpected property, got number"]);
  expect(await judged({ 200: NOTE }, more, [contribution({ claps: Type.Integer() })])).toEqual([]);
  expect(await judged({ 200: NOTE }, note, [contribution({ claps: Type.Integer() })])).toEqual([
    "Note/claps: Expected required property, got undefined",
  ]);
  expect(await judged({ 200: NOTE }, more, [contribution()])).toEqual([]);
});

test("a status without a schema and another media type are mismatches; errors and empty answers are not checked", async () => {
  expect(await judged({ 201: NOTE }, note)).toEqual([": there is no schema of status 200"]);
  expect(await judged({ 200: NOTE }, "text")).toEqual(["Note: expected application/json, got text/plain"]);
  const png = new Response("", { headers: { "content-type": "image/png" } });
  expect(await judged({ 200: fileAnswer("image/*") }, png)).toEqual([]);
  expect(await judged({ 200: fileAnswer("application/pdf") }, png)).toEqual([
    ": expected application/pdf, got image/png",
  ]);
  expect(await judged({ 200: NOTE }, Response.json({}, { status: 404 }))).toEqual([]);
  expect(await judged({ 200: NOTE }, undefined, [], 204)).toEqual([]);
});
