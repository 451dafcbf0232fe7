/** The API documentation in a browser, under another host name than APP_URL has. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { sharedBrowser } from "../support/harness/browser.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";

setDefaultTimeout(60_000);
const folder = dataFolder("ready");
let browser: Browser;
let program: Program;
beforeAll(async () => {
  [browser, program] = await Promise.all([sharedBrowser(), startProgram(folder.path, { API_DOCS_PUBLIC: "true" })]);
});
afterAll(async () => {
  program.signal("SIGTERM");
  await program.ended;
  folder.remove();
});

test("both pages come with their styles and scripts, nothing is refused, and a request can be tried", async () => {
  const page = await browser.newPage();
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("request", (request) => {
    if (!/^(http:\/\/localhost:|data:)/.test(request.url())) elsewhere.push(request.url());
  });
  const base = `http://localhost:${program.port}/api/docs`;
  await page.goto(base);
  const family = await page.evaluate<string>("getComputedStyle(document.body).fontFamily");
  expect(family).not.toContain("Times");
  await page.goto(`${base}/try`);
  await page.waitForSelector(".opblock");
  await page.click(".opblock-get [data-path]");
  await page.click(".try-out__btn");
  await page.click(".execute");
  await page.waitForSelector(".live-responses-table tr.response td.response-col_status");
  const status = await page.textContent(".live-responses-table tr.response td.response-col_status");
  expect(status).toContain("401");
  expect(elsewhere).toEqual([]);
  expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
  await page.close();
});
