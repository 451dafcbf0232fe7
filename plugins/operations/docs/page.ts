import { type Html, html } from "lectern/core";
import type { Endpoint } from "./describe.ts";

/** The page of the API: every endpoint with its parameters. It needs no scripts and loads nothing from other sites. */
export function docsPage(groups: Readonly<Record<string, readonly Endpoint[]>>, baseUrl: string): Html {
  const names = Object.keys(groups);
  const root = rootOf(baseUrl);
  return html`<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>API of ${baseUrl}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}/api/docs/assets/docs.css">
</head>
<body>
<header>
<h1>REST API</h1>
<p>Base address <code>${baseUrl}</code>. Send <code>Authorization: Token &lt;token_id&gt;:&lt;token_secret&gt;</code> with each request.</p>
<p>Listings return 100 rows, or up to 500 with <code>count</code>; the next page begins at <code>offset</code>. Filter with
<code>filter[field]</code> or <code>filter[field:op]</code> (eq, ne, gt, lt, gte, lte, like), and sort with <code>sort=-field</code>.</p>
<p>For programs: <a href="${root}/api/docs.json">docs.json</a>, <a href="${root}/api/openapi.json">openapi.json</a>.
To try requests: <a href="${root}/api/docs/try">interactive page</a>.</p>
<nav aria-label="Resources">${names.map((name) => html`<a href="#${name}">${name}</a> `)}</nav>
</header>
<main>${names.map((name) => group(name, groups[name] ?? []))}</main>
</body>
</html>`;
}

/** The interactive page: Swagger UI, served by this instance. */
export function tryPage(baseUrl: string): Html {
  const root = rootOf(baseUrl);
  const assets = `${root}/api/docs/assets`;
  return html`<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Try the API of ${baseUrl}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets}/swagger-ui.css">
</head>
<body>
<div id="swagger-ui" data-document="${root}/api/openapi.json" data-root="${root}"></div>
<noscript>This page needs scripts; <a href="${root}/api/docs">the list of endpoints</a> does not.</noscript>
<script src="${assets}/swagger-ui-bundle.js"></script>
<script type="module" src="${assets}/try.js"></script>
</body>
</html>`;
}

/** The path of the base URL. Pages load their files by path, so that they work under every host name of the server. */
function rootOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, "");
}

function group(name: string, endpoints: readonly Endpoint[]): Html {
  return html`<section id="${name}" aria-labelledby="${name}-title"><h2 id="${name}-title">${name}</h2>${endpoints.map(entry)}</section>`;
}

function entry(endpoint: Endpoint): Html {
  const fields = Object.entries(endpoint.body_params ?? {});
  return html`<article id="${endpoint.name}">
<h3><span class="method">${endpoint.method}</span> <code>${endpoint.uri}</code></h3>
<p>${endpoint.description}</p>
${
  fields.length > 0 &&
  html`<table><thead><tr><th scope="col">Field</th><th scope="col">Rules</th></tr></thead>
<tbody>${fields.map(([field, rules]) => html`<tr><td><code>${field}</code></td><td>${rules.join(", ")}</td></tr>`)}</tbody></table>`
}
${sample("Example request", endpoint.example_request)}${sample("Example response", endpoint.example_response)}
</article>`;
}

function sample(title: string, text: string | null): Html | null {
  return text === null ? null : html`<details><summary>${title}</summary><pre><code>${text}</code></pre></details>`;
}
