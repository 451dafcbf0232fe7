/**
 * The judge of answers: compares each success answer of a route that names schemas with the one of its status, as JSON, so that
 * a schema cannot lag behind its handler. Keys that a schema does not name are mismatches too. It runs in tests, where a
 * mismatch fails, and in `dev`, where it is logged; never in production.
 */
import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { ElysiaCustomStatusResponse } from "elysia";
import { JsonBytes } from "../std/json_bytes.ts";
import { jsonTextOf } from "../std/json_text.ts";
import { type AnswerSchemas, mediaTypeOf } from "./answer_schemas.ts";
import { mapSchema } from "./answer_types.ts";
import { JSON_TYPE } from "./default_headers.ts";

/** What a handler returned, before it is sent. */
export interface JudgedAnswer {
  /** Method and path, such as "GET /api/books/:id". */
  readonly route: string;
  readonly schemas: AnswerSchemas | undefined;
  readonly value: unknown;
  /** The status that the handler set; it may be in the value instead. */
  readonly status: unknown;
}

/** An answer that its schema does not describe; it has no values of the answer, which may be secret. */
export interface AnswerMismatch {
  readonly route: string;
  /** The name of the schema, "" for one without a name. */
  readonly schema: string;
  /** The place within the answer, such as "/data/0/name". */
  readonly path: string;
  /** What the schema wants, and the type of the value. */
  readonly message: string;
}

/** Checks an answer. */
export type JudgeAnswer = (answer: JudgedAnswer) => Promise<void>;

/** Receives a mismatch. */
export type OnMismatch = (mismatch: AnswerMismatch) => void;

/**
 * Makes a judge. `extended` adds the fields of other plugins to a schema; it is called at the first answer by each schema, when
 * all plugins have been set up.
 */
export function createAnswerJudge(onMismatch: OnMismatch, extended: (schema: TSchema) => TSchema): JudgeAnswer {
  const checks = new Map<TSchema, TypeCheck<TSchema>>();
  const checkOf = (schema: TSchema): TypeCheck<TSchema> => {
    const known = checks.get(schema);
    if (known) return known;
    const check = TypeCompiler.Compile(closed(extended(schema)));
    checks.set(schema, check);
    return check;
  };
  return async ({ route, schemas, value, status }) => {
    const sent = sentAnswer(value, status);
    if (!schemas || !sent || sent.status < 200 || sent.status > 299) return;
    const schema = schemas[sent.status];
    const report = (path: string, message: string) =>
      onMismatch({ route, schema: String(schema?.$id ?? ""), path, message });
    if (!schema) return report("", `there is no schema of status ${sent.status}`);
    const wanted = mediaTypeOf(schema);
    if (wanted !== undefined || sent.type !== "application/json") {
      if (!matchesType(wanted ?? "application/json", sent.type))
        report("", `expected ${wanted ?? "application/json"}, got ${sent.type}`);
      return;
    }
    const json: unknown = await sent.json();
    const error = checkOf(schema).Errors(json).First();
    if (error) report(error.path, `${error.message}, got ${typeName(error.value)}`);
  };
}

/** What is sent for the value of a handler; undefined for an empty body. */
function sentAnswer(value: unknown, status: unknown): SentAnswer | undefined {
  if (value instanceof ElysiaCustomStatusResponse) return sentAnswer(value.response, value.code);
  if (value instanceof Response)
    return {
      status: value.status,
      type: /^[^;]*/.exec(value.headers.get("content-type") ?? "application/octet-stream")?.[0] ?? "",
      json: () => value.clone().json() as Promise<unknown>,
    };
  if (value === undefined || value === null) return undefined;
  if (value instanceof JsonBytes) {
    const json = async () => JSON.parse(new TextDecoder().decode(value.bytes)) as unknown;
    return { status: typeof status === "number" ? status : 200, type: JSON_TYPE, json };
  }
  const type = typeof value === "object" ? "application/json" : "text/plain";
  return {
    status: typeof status === "number" ? status : 200,
    type,
    json: async () => JSON.parse(jsonTextOf(value) ?? JSON.stringify(value)) as unknown,
  };
}

interface SentAnswer {
  readonly status: number;
  readonly type: string;
  readonly json: () => Promise<unknown>;
}

/** Whether a media type is one of those wanted, separated by commas, with `*` for any. */
function matchesType(wanted: string, type: string): boolean {
  return wanted.split(/,\s*/).some((one) => one === type || (one.endsWith("*") && type.startsWith(one.slice(0, -1))));
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** A copy of a schema in which objects have no keys beside the named ones, unless they allow them, and formats are not checked. */
function closed(schema: TSchema): TSchema {
  return mapSchema(schema, ({ format: _, ...part }) =>
    part.type === "object" && part.properties && !("additionalProperties" in part)
      ? ({ ...part, additionalProperties: false } as TSchema)
      : (part as TSchema),
  );
}
