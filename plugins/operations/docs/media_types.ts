/**
 * The media types in which a body may be sent, each with a schema of what it can hold: JSON has no files, only multipart forms have
 * them; forms have neither null nor true and false, which are 1 and 0 there (content-api 1.1).
 */
import { isJson, type Json, objectsIn, partsOf } from "./json.ts";

/**
 * The content of a body by media type; `schema` describes its values as JSON, with files as binary texts. A route that reads its body
 * itself takes no forms.
 */
export function mediaTypes(schema: Json, example: unknown, { ownBody }: { readonly ownBody?: boolean }): Json {
  const text = withoutFiles(schema);
  const json = text && { schema: text, ...(example === undefined ? {} : { example }) };
  if (ownBody && json) return { "application/json": json };
  const forms = asForm(schema);
  const plainForms = text && asForm(text);
  return {
    ...(json ? { "application/json": json } : {}),
    "multipart/form-data": { schema: forms, ...encodingOf(forms) },
    ...(plainForms ? { "application/x-www-form-urlencoded": { schema: plainForms, ...encodingOf(plainForms) } } : {}),
  };
}

/** A schema of an object without its files; undefined where it needs one. */
function withoutFiles(schema: Json): Json | undefined {
  const properties = partsOf(schema.properties);
  const files = properties.flatMap(([name, { format }]) => (format === "binary" ? [name] : []));
  if (files.length === 0) return schema;
  const needsFile = ({ required }: Json) => Array.isArray(required) && files.some((name) => required.includes(name));
  if (needsFile(schema)) return undefined;
  const kept = properties.flatMap(([name, field]): [string, Json][] => {
    if (!files.includes(name)) return [[name, field]];
    return [field.type].flat().includes("null") ? [[name, { type: "null" }]] : [];
  });
  const own: Json = { ...schema, properties: Object.fromEntries(kept) };
  if (!Array.isArray(schema.anyOf)) return own;
  const anyOf = objectsIn(schema.anyOf).filter((one) => !needsFile(one));
  return anyOf.length > 0 ? { ...own, anyOf } : undefined;
}

const BOOLEANS = { true: "1", false: "0" };

/** A schema as forms and query strings spell its values. */
export function asForm(schema: Json): Json {
  const { type, const: only, ...rest } = schema;
  const types = [type].flat().filter((one) => one !== undefined && one !== "null");
  const spelt = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, partAsForm(key, value)]));
  if (types.includes("boolean")) return { ...spelt, type: "string", enum: Object.values(BOOLEANS).toReversed() };
  return {
    ...spelt,
    ...(types.length > 0 ? { type: types.length === 1 ? types[0] : types } : {}),
    ...(only === undefined ? {} : { const: typeof only === "boolean" ? BOOLEANS[`${only}`] : only }),
  };
}

function partAsForm(key: string, value: unknown): unknown {
  if (key === "enum" && Array.isArray(value)) return value.filter((one) => one !== null);
  if (key === "properties") {
    const fields = partsOf(value).filter(([, field]) => field.type !== "null");
    return Object.fromEntries(fields.map(([name, field]) => [name, asForm(field)]));
  }
  if (Array.isArray(value)) return value.map((one) => (isJson(one) ? asForm(one) : one));
  return isJson(value) && key !== "example" && key !== "default" ? asForm(value) : value;
}

/** Lists and objects of a form have brackets in their names: `tags[0][name]`. */
function encodingOf({ properties }: Json): Json {
  const nested = partsOf(properties).filter(([, { type }]) => ["array", "object"].includes(String(type)));
  if (nested.length === 0) return {};
  return { encoding: Object.fromEntries(nested.map(([name]) => [name, { style: "deepObject", explode: true }])) };
}
