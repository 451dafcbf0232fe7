/** Drawings: their memory is that of their markup and of what views hold which are drawn at each request. */
import { expect, test } from "bun:test";
import { deepFreeze, html } from "lectern/core";
import { Drawing } from "../../plugins/web/shell/drawing.ts";
import { Recording } from "../../plugins/web/shell/recording.ts";

const LONG = "x".repeat(50_000);

test.each([
  ["markup", { comments: html`${LONG}` }, true],
  ["texts in what is not frozen", { content: { html: LONG, headings: [] } }, true],
  ["answers, which the cache counts", { page: deepFreeze({ html: LONG }) }, false],
])("the memory of a view that is drawn at each request of %s", (_name, data, isCounted) => {
  const recording = new Recording(() => {});
  const left = recording.leave(() => html`<p>`, data);
  const { bytes } = new Drawing(`<body>${left}</body>`, recording);
  expect(bytes > LONG.length).toBe(isCounted);
});
