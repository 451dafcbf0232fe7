import { expect, test } from "bun:test";
import { html, htmlResponse, raw } from "./html.ts";

test("html escapes every value, keeps markup and leaves out false and null", () => {
  const evil = `<script>"'&`;
  expect(String(html`<p title="${evil}">${evil}${null}${false}${0}</p>`)).toBe(
    `<p title="&lt;script&gt;&quot;&#x27;&amp;">&lt;script&gt;&quot;&#x27;&amp;0</p>`,
  );
  expect(String(html`<ul>${["a", "<b>"].map((item) => html`<li>${item}</li>`)}${raw("<hr>")}</ul>`)).toBe(
    "<ul><li>a</li><li>&lt;b&gt;</li><hr></ul>",
  );
});

test("a document denies features of the browser and is separated from windows of other origins", () => {
  const { headers } = htmlResponse(html`<p>Notes</p>`);
  expect(headers.get("permissions-policy")).toMatch(/^(?:[a-z-]+=\(\), )+usb=\(\)$/);
  expect(headers.get("permissions-policy")).toContain("camera=(), ");
  expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
});
