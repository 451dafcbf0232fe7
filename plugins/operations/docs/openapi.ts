/** The OpenAPI 3.1 document: made from the routes by @elysiajs/swagger, then put right. */
import type { CredentialScheme, ListItemSchema, ResponseFields } from "lectern/contracts";
import { type RouteInfo, yieldToEventLoop } from "lectern/core";
import { described } from "./describe.ts";
import { swaggerDocument } from "./documented_app.ts";
import { errorShapes, securityOf } from "./errors_and_security.ts";
import type { Json } from "./json.ts";
import { raised } from "./raise.ts";

/** The input of the document. */
export interface DocumentSource {
  readonly routes: readonly RouteInfo[];
  /** The slot `list_item_schema`. */
  readonly items: readonly ListItemSchema[];
  /** The slot `response_fields`. */
  readonly fields: readonly ResponseFields[];
  /** The slot `credential_scheme`. */
  readonly credentials: readonly CredentialScheme[];
  readonly baseUrl: string;
  readonly version: string;
}

/** What holds for all operations: a header at each of them would not say more. */
const DESCRIPTION =
  "REST API of this instance, compatible with BookStack's. While its database is away, reading requests may be answered by a " +
  "replica: the answer has the header `Lectern-Stale: replica`, and may be older than earlier ones.";

/** Generates the document. Each of its steps takes tens of milliseconds, and others have their turn between them. */
export async function openApi({ routes, items, fields, credentials, baseUrl, version }: DocumentSource): Promise<Json> {
  const pause = yieldToEventLoop();
  const documented = described(routes);
  const shapes = errorShapes(credentials);
  await pause();
  const document = await swaggerDocument({
    routes: documented,
    fields,
    items: Object.fromEntries(items.map(({ field, schema }) => [field, schema])),
    named: shapes.map(({ schema }) => schema),
  });
  await pause();
  const info = {
    title: "Lectern",
    version,
    description: DESCRIPTION,
    license: { name: "MIT", identifier: "MIT" },
  };
  return raised(document, documented, { info, baseUrl, shapes, security: securityOf(credentials) });
}
