/**
 * The documentation of the API, made of the routes: a page, `docs.json` as the original has it, and an OpenAPI 3.1 document. Pages load
 * their scripts from this instance alone. What a route says of itself is in its plugin, by `endpoint` and its schemas.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { docsSlots } from "lectern/contracts";
import { ApiError, definePlugin, endpoint, fileAnswer, type Html, htmlResponse, t } from "lectern/core";
import { documentSchema, endpointsSchema } from "./contract.ts";
import { describe } from "./describe.ts";
import { openApi } from "./openapi.ts";
import { docsPage, tryPage } from "./page.ts";

const OWN = join(import.meta.dir, "public");
const SWAGGER = join(fileURLToPath(import.meta.resolve("swagger-ui-dist/package.json")), "..");

/** The files that the pages load; no other files of these folders are served. */
const ASSETS: Readonly<Record<string, { path: string; type: string }>> = {
  "docs.css": { path: join(OWN, "docs.css"), type: "text/css; charset=utf-8" },
  "try.js": { path: join(OWN, "try.js"), type: "text/javascript; charset=utf-8" },
  "swagger-ui.css": { path: join(SWAGGER, "swagger-ui.css"), type: "text/css; charset=utf-8" },
  "swagger-ui-bundle.js": { path: join(SWAGGER, "swagger-ui-bundle.js"), type: "text/javascript; charset=utf-8" },
};

/** The documentation of the API: a page, docs.json and an OpenAPI document, all generated from the routes. */
export default definePlugin({
  name: "docs",
  settings: t.Object({
    isPublic: t.Boolean({
      default: false,
      env: "API_DOCS_PUBLIC",
      description: "Shows the documentation without a token",
    }),
    version: t.String({ default: "", description: "Version of the OpenAPI document; empty for that of Lectern" }),
  }),
  slots: docsSlots,
  setup({ app, baseUrl, runtime, slot, settings: { isPublic, version } }) {
    const permit = isPublic ? "public" : "access-api";
    const about = (text: string, action: string) => endpoint("docs", action, { about: text });
    app.get("/docs", () => page(docsPage(describe(runtime.routes()), baseUrl)), {
      permit,
      response: fileAnswer("text/html"),
      ...about("Loads the page of the API with all endpoints.", "display"),
    });
    app.get("/docs.json", () => describe(runtime.routes()), {
      permit,
      response: endpointsSchema,
      ...about("Loads a JSON view of the API description data.", "json"),
    });
    const source = () => ({
      routes: runtime.routes(),
      items: slot("list_item_schema"),
      fields: slot("response_fields"),
      credentials: slot("credential_scheme"),
      baseUrl,
      version: version || runtime.version,
    });
    // Made at the first request, since all plugins are set up by then and most instances never need it.
    let made: Promise<string> | undefined;
    const make = async () => {
      const document = await openApi(source());
      await new Promise((resolve) => setImmediate(resolve));
      return JSON.stringify(document);
    };
    const document = async () => {
      // Requests that come meanwhile wait for the same one, since each takes some 50 ms of the processor.
      made ??= make().catch((error: unknown) => {
        made = undefined;
        throw error;
      });
      return new Response(await made, { headers: { "content-type": "application/json" } });
    };
    app.get("/openapi.json", document, {
      permit,
      response: documentSchema,
      ...about("Loads the OpenAPI 3.1 document of this API.", "openapi"),
    });
    app.get("/docs/try", () => page(tryPage(baseUrl)), {
      permit,
      response: fileAnswer("text/html"),
      ...about("Loads a page to try requests.", "try"),
    });
    app.get("/docs/assets/:file", ({ params: { file } }) => asset(file), { permit: "public" });
    app.get("/", () => Response.redirect(`${baseUrl}/api/docs`, 302), { permit: "public" });
  },
});

function asset(name: string): Response {
  const found = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
  if (!found) throw new ApiError(404, "The requested resource could not be found.");
  return new Response(Bun.file(found.path), {
    headers: { "content-type": found.type, "cache-control": "public, max-age=86400" },
  });
}

/** A page with a policy for Swagger UI, which needs inline styles and data images; scripts come from this instance alone. */
function page(body: Html): Response {
  const response = htmlResponse(body);
  response.headers.set(
    "content-security-policy",
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  );
  return response;
}
