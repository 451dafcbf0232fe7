import { expect, test } from "bun:test";
import { printable } from "./printable.ts";

const TABLE: readonly [html: string, printed: string][] = [
  [
    '<iframe width="5" src="//example.com/v"></iframe>',
    '<p><a href="https://example.com/v">https://example.com/v</a></p>',
  ],
  ["<details><summary>s</summary></details>", "<details open><summary>s</summary></details>"],
  ['<p style="color:red">x</p>', '<p style="color:red">x</p>'],
  ['<p style="background:url(http://169.254.169.254/)">url(x)</p>', "<p>url(x)</p>"],
  ['<p id="a" style="background:u\\72l(http://x)" class="b">x</p>', '<p id="a" class="b">x</p>'],
  ["<p style='content:image-set(\"http://x\" 1x)'>x</p>", "<p>x</p>"],
  ['<td background="http://x">x</td>', "<td>x</td>"],
];

for (const [html, printed] of TABLE)
  test(`${html.slice(0, 60)} is printed without loading anything`, () => {
    expect(printable(html)).toBe(printed);
  });
