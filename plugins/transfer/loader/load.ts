/**
 * The run: plan the folder, make what is missing, then bring every page to what its file says. Links need the addresses
 * of pages that do not exist before the first pass is through, so contents are compared and sent in a second one; a
 * page whose hash is the one sent last is skipped there. What fails is told and left; what depends on it fails with it. A
 * server that fails several times in a row stops the run: the next one goes on from there. Nothing is ever deleted.
 */
import { join } from "node:path";
import { AnswerError, ApiClient, inParallel, type Json } from "lectern/cli";
import { anchorOf, anchorsOf } from "./anchors.ts";
import { KeyLock } from "./key_lock.ts";
import { rewriteLinks } from "./links.ts";
import { make, newestId, numberOf, PATHS, type Wanted } from "./make.ts";
import { LoadedPictures } from "./pictures.ts";
import { type Plan, type PlannedPage, type PlannedPlace, planFolder } from "./plan.ts";
import { emptyReport, type Report, type Tally } from "./report.ts";
import { putOnShelf } from "./shelf.ts";
import { hashOf, type Kind, LoadState } from "./state.ts";

/** How many failures of the server, the token or the way there in a row end a run. */
export const MAX_OUTAGES = 3;
/** The name of the state file in the folder where no other is given. */
export const STATE_FILE = ".lectern-load.json";

/** What to load, and where to. */
export interface LoadOptions {
  readonly folder: string;
  readonly baseUrl: string;
  readonly token: string;
  readonly shelf?: string | undefined;
  readonly limit?: number | undefined;
  readonly concurrency: number;
  readonly stateFile?: string | undefined;
}

/** What the run tells of itself. */
export interface Listener {
  begin(label: string, total: number): void;
  step(): void;
  say(line: string, to?: "out" | "err"): void;
}

/** Loads a folder. Throws LoadError where it cannot begin, AnswerError where the server refuses the first request. */
export async function load(
  options: LoadOptions,
  listener: Listener,
  sleep: (ms: number) => Promise<void> = Bun.sleep,
): Promise<Report> {
  const began = performance.now();
  const plan = await planFolder(options.folder, options.limit);
  for (const note of plan.notes) listener.say(note, "err");
  const state = await LoadState.open(options.stateFile ?? join(plan.root, STATE_FILE), options.baseUrl);
  const client = new ApiClient({ ...options, sleep, say: (line) => listener.say(line) });
  const run = new Run(plan, state, client, listener, options);
  await run.all();
  run.report.seconds = (performance.now() - began) / 1000;
  return run.report;
}

class Run {
  readonly report: Report = emptyReport();
  readonly #plan: Plan;
  readonly #state: LoadState;
  readonly #client: ApiClient;
  readonly #listener: Listener;
  readonly #options: LoadOptions;
  readonly #tops = new Map<Kind, number>();
  readonly #locks = new KeyLock();
  readonly #pictures: LoadedPictures;
  /** Paths of pages that were sent, and of things that failed. */
  readonly #sent = new Set<string>();
  readonly #failed = new Set<string>();
  #siteUrl = "";
  #outages = 0;

  constructor(plan: Plan, state: LoadState, client: ApiClient, listener: Listener, options: LoadOptions) {
    this.#plan = plan;
    this.#state = state;
    this.#client = client;
    this.#listener = listener;
    this.#options = options;
    this.#siteUrl = options.baseUrl;
    const { pictures: tally } = this.report;
    const guard = (what: string, work: () => Promise<void>) => this.#guard(what, tally, work);
    this.#pictures = new LoadedPictures({ root: plan.root, files: plan.pictures, client, state, tally, guard });
  }

  async all(): Promise<void> {
    const { books, chapters, pages } = this.#plan;
    for (const kind of ["book", "chapter", "page"] as const) this.#tops.set(kind, await newestId(this.#client, kind));
    await this.#readSiteUrl();
    await this.#pictures.open();
    const living = await this.#living();
    await this.#each("books", books, this.report.books, (book) => this.#place("book", book, living));
    await this.#each("chapters", chapters, this.report.chapters, (chapter) => this.#place("chapter", chapter, living));
    await this.#each("pages", pages, undefined, (page) => this.#firstPass(page, living));
    await this.#each("contents", pages, undefined, (page) => this.#secondPass(page));
    const planned = new Set(pages.map(({ path }) => path));
    this.report.orphans = this.#state.pages().filter((path) => !planned.has(path)).length;
    const { shelf } = this.#options;
    const ids = books.flatMap(({ path }) => this.#state.get(path)?.id ?? []);
    if (shelf !== undefined && !this.report.stopped)
      await this.#guard(`shelf ${shelf}`, this.report.books, () => putOnShelf(this.#client, this.#state, shelf, ids));
  }

  /** Links must carry the address the server has for itself, which may differ from the one we reach it by. */
  async #readSiteUrl(): Promise<void> {
    try {
      const { base_url } = await this.#client.get("/api/system");
      if (typeof base_url === "string" && URL.canParse(base_url)) this.#siteUrl = base_url.replace(/\/+$/, "");
    } catch (error) {
      // Older servers have no such endpoint; what else is wrong shows in the next request.
      if (!(error instanceof AnswerError)) throw error;
    }
  }

  /** Which known things the server still has. A book tells of all in it; what is not there may have been moved. */
  async #living(): Promise<(kind: Kind, id: number) => Promise<boolean>> {
    const seen = new Set<string>();
    const note = (kind: string, row: Json) => seen.add(`${kind} ${numberOf(row.id)}`);
    await inParallel(this.#options.concurrency, this.#plan.books, async ({ path }) => {
      const id = this.#state.get(path)?.id;
      const book = id === undefined ? undefined : await this.#readOrNone("book", id);
      if (book === undefined) return;
      note("book", book);
      for (const row of listOf(book.contents)) {
        note(String(row.type), row);
        for (const page of listOf(row.pages)) note("page", page);
      }
    });
    return async (kind, id) => seen.has(`${kind} ${id}`) || (await this.#readOrNone(kind, id)) !== undefined;
  }

  async #readOrNone(kind: Kind, id: number): Promise<Json | undefined> {
    try {
      return await this.#client.get(`${PATHS[kind]}/${id}`);
    } catch (error) {
      if (error instanceof AnswerError && error.status === 404) return undefined;
      throw error;
    }
  }

  async #each<T extends { path: string }>(
    label: string,
    items: readonly T[],
    tally: Tally | undefined,
    work: (item: T) => Promise<void>,
  ): Promise<void> {
    if (this.report.stopped) return;
    this.#listener.begin(label, items.length);
    await inParallel(this.#options.concurrency, items, async (item) => {
      if (this.report.stopped) return;
      await this.#guard(item.path, tally ?? this.report.pages, () => work(item));
      this.#listener.step();
    });
  }

  async #guard(what: string, tally: Tally, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#outages = 0;
    } catch (error) {
      if (!(error instanceof AnswerError)) throw error;
      tally.failed += 1;
      this.#failed.add(what);
      this.#listener.say(`Cannot load "${what}": ${error.message}`, "err");
      this.#outages = error.outage ? this.#outages + 1 : 0;
      if (this.#outages < MAX_OUTAGES || this.report.stopped) return;
      this.report.stopped = true;
      this.#listener.say(`Stopped after ${MAX_OUTAGES} such failures in a row: run it again to go on from here`, "err");
    }
  }

  async #place(
    kind: "book" | "chapter",
    place: PlannedPlace,
    living: (kind: Kind, id: number) => Promise<boolean>,
  ): Promise<void> {
    const tally = kind === "book" ? this.report.books : this.report.chapters;
    const { path, name, priority } = place;
    if (await this.#has(path, living)) {
      tally.skipped += 1;
      return;
    }
    const bookId = kind === "book" ? undefined : this.#idOf(place.book);
    const parent = bookId === undefined ? undefined : { book_id: bookId };
    await this.#make({
      kind,
      path,
      name,
      parent: parent ?? {},
      body: { name, ...(parent ? { ...parent, priority } : {}) },
    });
    tally.created += 1;
  }

  async #firstPass(page: PlannedPage, living: (kind: Kind, id: number) => Promise<boolean>): Promise<void> {
    const { path, name, book, chapter } = page;
    if (await this.#has(path, living)) {
      // A new name means a new address, which other pages' links need before the second pass.
      if (this.#state.get(path)?.name !== name) await this.#send(page);
      return;
    }
    const bookId = this.#idOf(book);
    const chapterId = chapter === undefined ? undefined : this.#idOf(chapter);
    const content = this.#bodyOf(page).body;
    const body = { ...(chapterId === undefined ? { book_id: bookId } : { chapter_id: chapterId }), ...content };
    const answer = await this.#make({ kind: "page", path, name, body, parent: { book_id: bookId }, chapterId });
    this.#sent.add(path);
    this.report.pages.created += 1;
    if (answer) await this.#noteSent(path, answer, hashOf(content));
  }

  async #secondPass(page: PlannedPage): Promise<void> {
    const entry = this.#state.get(page.path);
    if (entry?.id === undefined || this.#failed.has(page.path)) return;
    await this.#pictures.bring(this.#bodyOf(page).linked.pictures, entry.id);
    const { body, linked } = this.#bodyOf(page);
    this.report.linksLost += linked.lost.length;
    this.report.picturesLeft += linked.left.length;
    if (hashOf(body) !== entry.hash) await this.#send(page);
    if (this.#sent.has(page.path)) this.report.linksRewritten += linked.rewritten;
    else this.report.pages.skipped += 1;
  }

  async #send(page: PlannedPage): Promise<void> {
    const { body } = this.#bodyOf(page);
    const answer = await this.#client.put(`${PATHS.page}/${this.#idOf(page.path)}`, body);
    if (!this.#sent.has(page.path)) this.report.pages.updated += 1;
    this.#sent.add(page.path);
    await this.#noteSent(page.path, answer, hashOf(body), page.name);
  }

  #noteSent(path: string, answer: Json, hash: string, name = this.#state.get(path)?.name ?? ""): Promise<void> {
    const slug = typeof answer.slug === "string" ? answer.slug : (this.#state.get(path)?.slug ?? "");
    const anchors = anchorsOf(typeof answer.html === "string" ? answer.html : "");
    return this.#state.set(path, { kind: "page", id: this.#idOf(path), slug, name, hash, anchors });
  }

  async #has(path: string, living: (kind: Kind, id: number) => Promise<boolean>): Promise<boolean> {
    const entry = this.#state.get(path);
    return entry?.id !== undefined && (await living(entry.kind, entry.id));
  }

  async #make(wanted: Wanted): Promise<Json | undefined> {
    const above = this.#tops.get(wanted.kind) ?? 0;
    // Two pages may have the same name: were both on their way at once, the one could be found in place of the other.
    const { kind, name, parent } = wanted;
    const work = () => make(this.#client, this.#state, wanted, above);
    return (await this.#locks.run(JSON.stringify([kind, name, parent]), work)).answer;
  }

  #idOf(path: string): number {
    const id = this.#state.get(path)?.id;
    if (id === undefined) throw new AnswerError(424, `its parent "${path}" is not loaded`);
    return id;
  }

  #bodyOf(page: PlannedPage) {
    const linked = rewriteLinks(page.markdown, page.path, this.#plan.name, {
      addressOf: (path, anchor) => this.#addressOf(path, anchor, page.path),
      pictures: this.#pictures,
    });
    const { name, tags, priority } = page;
    return { linked, body: { name, markdown: linked.markdown, tags, priority } };
  }

  #addressOf(path: string, anchor: string | undefined, from: string): string | undefined {
    const entry = this.#state.get(path);
    if (entry?.slug === undefined || (path === from && anchor === undefined)) return undefined;
    const own = anchor === undefined ? undefined : (entry.anchors?.[anchor] ?? entry.anchors?.[anchorOf(anchor)]);
    // The heading that became the page's name is no heading of the page any more: it is the page.
    const isTitle = own === undefined && anchor !== undefined && anchorOf(titleIn(entry.name)) === anchorOf(anchor);
    if (path === from && !isTitle) return own === undefined ? undefined : `#${own}`;
    const book = this.#state.get(
      path.split("/").length === 1 && entry.kind === "page" ? "." : (path.split("/")[0] ?? ""),
    )?.slug;
    const below = { shelf: "", image: "", book: "", chapter: `/chapter/${entry.slug}`, page: `/page/${entry.slug}` }[
      entry.kind
    ];
    const site = `${this.#siteUrl}/books/${entry.kind === "book" ? entry.slug : book}${below}`;
    return anchor === undefined || isTitle ? site : `${site}#${own ?? anchor}`;
  }
}

/** Names of pages further down begin with those of the folders that have no chapter of their own. */
function titleIn(name = ""): string {
  return name.split(" / ").at(-1) ?? name;
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}
