/** Follows the links of the screens of a runtime, to find those that lead nowhere. */
import { SYSTEM } from "lectern/core";
import type { TestRuntime } from "./test_runtime.ts";

/** The body of a call without credentials, for runtimes that have no tokens. */
export async function answerAs(runtime: TestRuntime, method: string, path: string, input?: object): Promise<unknown> {
  const response = await runtime.runtime.http.callAs(SYSTEM, method, path, input ? { input: { ...input } } : {});
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

/** What a crawl found. */
export interface Crawl {
  readonly visited: readonly string[];
  /** Links to screens that are not found or fail, each with the screen that has it. */
  readonly broken: readonly string[];
}

/** Creates one item of each kind, then follows every link from the home page as the administrator. */
export async function crawl(runtime: TestRuntime): Promise<Crawl> {
  await createContent(runtime);
  const cookie = await signIn(runtime);
  const from = new Map([["/", "the start"]]);
  const broken: string[] = [];
  for (const [path, source] of from) {
    const request = new Request(runtime.baseUrl + path, { headers: { cookie, accept: "text/html" } });
    const response = await runtime.runtime.http.handle(request, "127.0.0.1");
    const text = await response.text();
    // 405 is the answer to the GET of a form's address.
    if (response.status === 404 || response.status >= 500) broken.push(`${response.status} ${path} on ${source}`);
    if (!response.headers.get("content-type")?.includes("html")) continue;
    for (const link of linksOf(text, runtime.baseUrl)) if (!from.has(link)) from.set(link, path);
  }
  return { visited: [...from.keys()], broken };
}

/** The paths that a document links to, loads or sends forms to, except what ends the session. */
function linksOf(document: string, baseUrl: string): string[] {
  const found = [...document.matchAll(/(?:href|src|hx-get|action|formaction)="([^"#?]*)/g)];
  return found
    .map(([, link = ""]) => (link.startsWith(`${baseUrl}/`) ? link.slice(baseUrl.length) : link))
    .filter((link) => /^\/(?!\/|logout)/.test(link));
}

async function createContent(runtime: TestRuntime): Promise<void> {
  const create = async (path: string, input: object) =>
    ((await answerAs(runtime, "POST", path, input)) as { id: number }).id;
  const book_id = await create("/api/books", { name: "Book" });
  const chapter_id = await create("/api/chapters", { name: "Chapter", book_id });
  const page_id = await create("/api/pages", { name: "Page", chapter_id, markdown: "# Hi" });
  await create("/api/shelves", { name: "Shelf", books: [book_id] });
  if (runtime.runtime.http.serves("POST", "/api/comments"))
    await create("/api/comments", { page_id, html: "<p>Hi</p>" });
}

async function signIn(runtime: TestRuntime): Promise<string> {
  const body = { email: "admin@example.com", password: "correct horse battery" };
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body });
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}
