/**
 * Two writers edit one page by the forms of the editor and of the conflict screen, in a random order of edits, autosaves, saves, closed
 * windows and decisions. No word that one of them wrote is lost unseen: it is on the page, or its writer saw it in a conflict before
 * it was left out. The seeds are fixed; a failure names its seed.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { parse } from "parse5";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(240_000);
const SEEDS = 20;
const EDITS = 200;

let runtime: TestRuntime;
let book: { id: number; slug: string };
const cookies: string[] = [];
beforeAll(async () => {
  runtime = await bootTestRuntime();
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Merged" } })).body;
  const permissions = ["book-view-all", "page-view-all", "page-update-all", "revision-view-all"];
  for (const name of ["Ann", "Ben"]) {
    const { id } = await runtime.person(name, permissions);
    const body = { email: `${name.toLowerCase()}@example.com`, password: "a long enough password" };
    await runtime.ask("PUT", `/api/users/${id}`, { body });
    const { headers } = await runtime.ask("POST", "/api/session", { as: null, body });
    cookies.push(headers.get("set-cookie")?.split(";")[0] ?? "");
  }
});
afterAll(() => runtime.stop());

/** The fields of a form, without its buttons; of radio buttons all values. */
interface Form {
  readonly fields: Map<string, string>;
  readonly choices: Map<string, string[]>;
}

interface Writer {
  readonly cookie: string;
  form: Form | undefined;
  /** Whether the form is that of the conflict screen. */
  isAsked: boolean;
  /** What the writer saw in conflicts since the editor was opened. */
  seen: Set<string>;
}

const wordsIn = (text: string) => new Set(text.match(/\bw\d+q\b/g) ?? []);

/** A generator of numbers below a limit (mulberry32). */
function below(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
  };
}

/** A form of a document by the end of its action. */
function formIn(document: string, action: string): Form {
  interface Found {
    readonly nodeName: string;
    readonly attrs?: readonly { name: string; value: string }[];
    readonly childNodes?: readonly Found[];
    readonly value?: string;
  }
  const [fields, choices] = [new Map<string, string>(), new Map<string, string[]>()];
  const visit = (node: Found, isWithin: boolean): void => {
    const of = (name: string) => node.attrs?.find((attribute) => attribute.name === name)?.value;
    const name = of("name") ?? "";
    if (isWithin && node.nodeName === "input" && of("type") === "radio")
      choices.set(name, [...(choices.get(name) ?? []), of("value") ?? ""]);
    else if (isWithin && node.nodeName === "input" && of("type") !== "file") fields.set(name, of("value") ?? "");
    else if (isWithin && node.nodeName === "textarea")
      fields.set(name, node.childNodes?.map(({ value = "" }) => value).join("") ?? "");
    const isForm = node.nodeName === "form" && (of("action") ?? "").endsWith(action);
    for (const child of node.childNodes ?? []) visit(child, isWithin || isForm);
  };
  visit(parse(document) as unknown as Found, false);
  return { fields, choices };
}

async function ask(writer: Writer, method: string, path: string, form?: Form, act?: string) {
  const sent = Object.fromEntries([...(form?.fields ?? []), ...(act === undefined ? [] : [["act", act]])]);
  const headers = { accept: "text/html", cookie: writer.cookie, "sec-fetch-site": "same-origin" };
  const answer = await runtime.ask(method, path, { as: null, headers, ...(form ? { form: sent } : {}) });
  return { status: answer.status, body: typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body) };
}

class Session {
  readonly writers: readonly Writer[] = cookies.map((cookie) => ({
    ...{ cookie, form: undefined, isAsked: false },
    seen: new Set<string>(),
  }));
  /** Words that a revision has. */
  readonly saved = new Set<string>();
  readonly inserted = new Set<string>();
  /** Words that a writer deleted, or left out of a conflict. */
  readonly gone = new Set<string>();
  readonly views = new Set<string>();
  readonly faults: string[] = [];
  conflicts = 0;
  readonly id: number;
  readonly slug: string;
  readonly source: "markdown" | "html";
  readonly pick: (limit: number) => number;
  constructor(page: { id: number; slug: string }, source: "markdown" | "html", pick: (limit: number) => number) {
    [this.id, this.slug, this.source, this.pick] = [page.id, page.slug, source, pick];
  }

  get path(): string {
    return `/books/${book.slug}/page/${this.slug}/edit`;
  }

  async page(): Promise<{ text: string; slug: string }> {
    const { body } = await runtime.ask("GET", `/api/pages/${this.id}`);
    const tags = body.tags.map(({ name }: { name: string }) => name);
    return { text: [body.name, body.markdown, body.raw_html, ...tags].join(" "), slug: body.slug };
  }

  async open(writer: Writer): Promise<void> {
    const { slug } = await this.page();
    const { body } = await ask(writer, "GET", this.path.replace(`/${this.slug}/edit`, `/${slug}/edit`));
    const form = formIn(body, "/edit");
    Object.assign(writer, { form, isAsked: false, seen: new Set() });
  }

  /** One edit: a word in a block, a new block, a block that is deleted, a name, or a tag. */
  edit({ form }: Writer): void {
    if (!form) return;
    const { pick } = this;
    const word = `w${this.inserted.size}q`;
    const content = form.fields.get("content") ?? "";
    const blocks =
      this.source === "html" ? (content.match(/<p[^>]*>.*?<\/p>/gs) ?? []) : content.split("\n\n").filter(Boolean);
    const set = () => void form.fields.set("content", blocks.join(this.source === "html" ? "\n" : "\n\n"));
    const kind = pick(20);
    const at = pick(blocks.length + 1);
    const block = blocks[at];
    if (kind === 0 && [...wordsIn(form.fields.get("name") ?? "")].every((one) => this.saved.has(one))) {
      for (const one of wordsIn(form.fields.get("name") ?? "")) this.gone.add(one);
      form.fields.set("name", `Page ${word}`);
    } else if (kind === 1) form.fields.set(`tags[${40 + this.inserted.size}][name]`, word);
    else if (kind < 5 && block !== undefined) {
      if (![...wordsIn(block)].every((one) => this.saved.has(one))) return;
      for (const one of wordsIn(block)) this.gone.add(one);
      blocks.splice(at, 1);
      set();
      return;
    } else if (kind < 10 || block === undefined) {
      blocks.splice(at, 0, this.source === "html" ? `<p>${word}</p>` : word);
      set();
    } else {
      const inner = this.source === "html" ? /^(<p[^>]*>)(.*)(<\/p>)$/s.exec(block) : [block, "", block, ""];
      const parts = (inner?.[2] ?? "").split(" ");
      parts.splice(pick(parts.length + 1), 0, word);
      blocks[at] = `${inner?.[1] ?? ""}${parts.join(" ").trim()}${inner?.[3] ?? ""}`;
      set();
    }
    this.inserted.add(word);
  }

  async keep({ form, isAsked, ...writer }: Writer): Promise<void> {
    if (!form || isAsked) return;
    const { status, body } = await ask({ form, isAsked, ...writer }, "POST", `/editor/draft/page/${this.id}`, form);
    if (status !== 200) this.faults.push(`autosave: ${status} ${body.slice(0, 200)}`);
    else form.fields.set("kept_at", JSON.parse(body).kept_at);
  }

  /** Sends the form with its button; the answer is the page, the conflict screen, or the editor with the merged text. */
  async send(writer: Writer, act: "save" | "resolve" | "settle"): Promise<void> {
    const { form } = writer;
    if (!form) return;
    const before = wordsIn((await this.page()).text);
    const mine = wordsIn(
      [...form.fields].map(([name, value]) => (/^choice|^base_tags/.test(name) ? "" : value)).join(" "),
    );
    const { status, body } = await ask(writer, "POST", this.path, form, act);
    if (status === 409) {
      this.conflicts += 1;
      for (const word of wordsIn(body.replace(/<[^>]*>/g, " "))) {
        writer.seen.add(word);
        this.views.add(word);
      }
      Object.assign(writer, { form: formIn(body, "/edit"), isAsked: true });
      return;
    }
    let after: Set<string>;
    if (status === 303) {
      after = wordsIn((await this.page()).text);
      for (const word of after) this.saved.add(word);
      Object.assign(writer, { form: undefined, isAsked: false });
    } else {
      const settled = formIn(body, "/edit");
      after = wordsIn([...settled.fields.values()].join(" "));
      Object.assign(writer, { form: settled, isAsked: false });
      if (status !== 200) this.faults.push(`${act}: ${status}`);
    }
    for (const word of [...before, ...mine].filter((one) => !after.has(one))) {
      if (!this.gone.has(word) && !writer.seen.has(word)) this.faults.push(`${act}: ${word} is lost unseen`);
      this.gone.add(word);
    }
  }

  choose({ form }: Writer): void {
    for (const [name, values] of form?.choices ?? []) form?.fields.set(name, values[this.pick(values.length)] ?? "");
  }
}

for (const seed of Array.from({ length: SEEDS }, (_, at) => at + 1))
  test(`no word of two writers is lost unseen (seed ${seed})`, async () => {
    const source = seed % 2 === 0 ? "html" : "markdown";
    const start = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"];
    const content = source === "html" ? start.map((text) => `<p>${text}</p>`).join("\n") : start.join("\n\n");
    const made = { book_id: book.id, name: `Page ${seed}`, [source]: content };
    const page = (await runtime.ask("POST", "/api/pages", { body: made })).body;
    const pick = below(seed);
    const session = new Session(page, source, pick);
    for (let edits = 0; edits < EDITS; ) {
      const writer = session.writers[pick(2)];
      if (!writer) continue;
      if (!writer.form) await session.open(writer);
      if (writer.isAsked) {
        session.choose(writer);
        await session.send(writer, pick(4) === 0 ? "settle" : "resolve");
        continue;
      }
      for (let count = pick(20); count > 0; count--, edits++) session.edit(writer);
      const step = pick(6);
      if (step < 3) await session.keep(writer);
      else if (step < 4) {
        await session.keep(writer);
        // The window is closed; the draft stays.
        writer.form = undefined;
      } else await session.send(writer, "save");
    }
    for (const writer of session.writers) {
      if (!writer.form) await session.open(writer);
      for (let tries = 0; writer.form && tries < 5; tries++) {
        session.choose(writer);
        await session.send(writer, writer.isAsked ? "resolve" : "save");
      }
      expect([seed, writer.form]).toEqual([seed, undefined]);
    }
    const { data } = (await runtime.ask("GET", `/api/pages/${page.id}/revisions?count=500`)).body;
    const found = new Set([...session.saved, ...session.views, ...wordsIn((await session.page()).text)]);
    expect(data.length).toBeGreaterThan(0);
    const lost = [...session.inserted].filter((word) => !found.has(word));
    expect([seed, lost, session.faults]).toEqual([seed, [], []]);
    expect(session.conflicts).toBeGreaterThan(0);
  });
