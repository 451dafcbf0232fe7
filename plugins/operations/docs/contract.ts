import { nullable, t } from "lectern/core";

const text = t.String();

/** One endpoint of docs.json (content-api 16). */
export const endpointSchema = t.Object(
  {
    name: text,
    uri: t.String({ description: "Without a leading slash, parameters in braces: api/pages/{id}" }),
    method: text,
    controller: text,
    controller_method: text,
    controller_method_kebab: text,
    base_model: text,
    description: nullable(text),
    body_params: nullable(t.Record(t.String(), t.Array(t.String()))),
    example_request: nullable(text),
    example_response: nullable(text),
    model_description: nullable(text),
  },
  { $id: "Endpoint" },
);

/** docs.json: endpoints by the first segment of their path. */
export const endpointsSchema = t.Record(t.String(), t.Array(endpointSchema), { $id: "Endpoints" });

/** An OpenAPI document. */
export const documentSchema = t.Unsafe<Record<string, unknown>>(
  t.Object({ openapi: text }, { $id: "OpenApiDocument", additionalProperties: true }),
);
