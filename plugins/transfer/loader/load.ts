/**
 * Loads a folder: plans it, creates missing items, then updates every page to the content of its file. Links need the
 * addresses of pages that exist only after the first pass, so content is compared and sent in a second one, in which a page
 * is skipped if its hash is the one sent last. A failure is reported and the run continues; what depends on the failed item
 * fails too. Several failures of the server in a row stop the run, which can be resumed. Nothing is deleted.
 */
import { join } from "node:path";
import { AnswerError, ApiClient, inParallel, type Json, type Progress } from "lectern/cli";
import { SECOND_MS, trimEndChars } from "lectern/core";
import { addToShelf } from "./add_to_shelf.ts";
import { anchorOf, anchorsOf } from "./anchors.ts";
import { type CreateRequest, createOnce, newestId, numberOf, PATHS } from "./create_once.ts";
import { KeyLock } from "./key_lock.ts";
import { rewriteLinks } from "./links.ts";
import { type Plan, type PlannedContainer, type PlannedPage, planFolder } from "./plan.ts";
import { emptyReport, type Report, type Tally } from "./report.ts";
import { hashOf, type Kind, LoadState } from "./state.ts";
import { Uploader } from "./uploads.ts";
import { WikiNames } from "./wiki_links.ts";

/** How many consecutive failures of the server, the token or the network stop a run. */
export const MAX_OUTAGES = 3;
/** The default name of the state file, in the folder. */
export const STATE_FILE = ".lectern-load.json";

/** What to load, and into which server. */
export interface LoadOptions {
  readonly folder: string;
  readonly baseUrl: string;
  readonly token: string;
  readonly shelf?: string | undefined;
  readonly limit?: number | undefined;
  readonly concurrency: number;
  readonly stateFile?: string | undefined;
}

/** What a run reports its progress to. */
export type ProgressListener = Pick<Progress, "begin" | "step" | "say">;

/** Loads a folder. Throws LoadError where it cannot start, and AnswerError where the server rejects the first request. */
export async function load(
  options: LoadOptions,
  listener: ProgressListener,
  sleep: (ms: number) => Promise<void> = Bun.sleep,
): Promise<Report> {
  const started = performance.now();
  const plan = await planFolder(options.folder, options.limit);
  for (const note of plan.notes) listener.say(note, "err");
  const state = await LoadState.open(options.stateFile ?? join(plan.root, STATE_FILE), options.baseUrl);
  const client = new ApiClient({ ...options, sleep, say: (line) => listener.say(line) });
  const run = new Run(plan, state, client, listener, options);
  await run.run();
  run.report.seconds = (performance.now() - started) / SECOND_MS;
  return run.report;
}

class Run {
  readonly report: Report = emptyReport();
  readonly #plan: Plan;
  readonly #state: LoadState;
  readonly #client: ApiClient;
  readonly #listener: ProgressListener;
  readonly #options: LoadOptions;
  readonly #newestIds = new Map<Kind, number>();
  readonly #locks = new KeyLock();
  readonly #images: Uploader;
  readonly #others: Uploader;
  readonly #names: WikiNames;
  /** Paths of the planned files and folders. */
  readonly #planned: ReadonlySet<string>;
  /** Paths of pages that were sent, and of items that failed. */
  readonly #sent = new Set<string>();
  readonly #failed = new Set<string>();
  #siteUrl = "";
  #outages = 0;

  constructor(plan: Plan, state: LoadState, client: ApiClient, listener: ProgressListener, options: LoadOptions) {
    this.#plan = plan;
    this.#state = state;
    this.#client = client;
    this.#listener = listener;
    this.#options = options;
    this.#siteUrl = options.baseUrl;
    const uploader = (kind: "image" | "attachment", files: ReadonlySet<string>, tally: Tally) => {
      const guard = (what: string, work: () => Promise<void>) => this.#guard(what, tally, work);
      return new Uploader({ kind, root: plan.root, files, client, state, tally, guard, siteUrl: () => this.#siteUrl });
    };
    this.#images = uploader("image", plan.images, this.report.images);
    this.#others = uploader("attachment", plan.others, this.report.attachments);
    this.#names = new WikiNames(plan.pages, [...plan.images, ...plan.others]);
    this.#planned = new Set([...plan.books, ...plan.chapters, ...plan.pages].map(({ path }) => path));
  }

  async run(): Promise<void> {
    const { books, chapters, pages } = this.#plan;
    for (const kind of ["book", "chapter", "page"] as const)
      this.#newestIds.set(kind, await newestId(this.#client, kind));
    await this.#readSiteUrl();
    await this.#images.open();
    await this.#others.open();
    const exists = await this.#existenceCheck();
    await this.#forEach("books", books, this.report.books, (book) => this.#createContainer("book", book, exists));
    await this.#forEach("chapters", chapters, this.report.chapters, (chapter) =>
      this.#createContainer("chapter", chapter, exists),
    );
    await this.#forEach("pages", pages, undefined, (page) => this.#createPage(page, exists));
    await this.#forEach("contents", pages, undefined, (page) => this.#updatePage(page));
    const planned = new Set(pages.map(({ path }) => path));
    this.report.orphans = this.#state.pages().filter((path) => !planned.has(path)).length;
    const { shelf } = this.#options;
    const ids = books.flatMap(({ path }) => this.#state.get(path)?.id ?? []);
    if (shelf !== undefined && !this.report.stopped)
      await this.#guard(`shelf ${shelf}`, this.report.books, () => addToShelf(this.#client, this.#state, shelf, ids));
  }

  /** Links must have the server's own base URL, which may differ from the one that requests are sent to. */
  async #readSiteUrl(): Promise<void> {
    try {
      const { base_url } = await this.#client.get("/api/system");
      if (typeof base_url === "string" && URL.canParse(base_url)) this.#siteUrl = trimEndChars(base_url, "/");
    } catch (error) {
      // Older servers lack this endpoint; any other problem shows in the next request.
      if (!(error instanceof AnswerError)) throw error;
    }
  }

  /** Returns a check whether the server still has an item. Books list their content; what they do not list may have been moved. */
  async #existenceCheck(): Promise<(kind: Kind, id: number) => Promise<boolean>> {
    const seen = new Set<string>();
    const markSeen = (kind: string, row: Json) => seen.add(`${kind} ${numberOf(row.id)}`);
    await inParallel(this.#options.concurrency, this.#plan.books, async ({ path }) => {
      const id = this.#state.get(path)?.id;
      const book = id === undefined ? undefined : await this.#readOrNone("book", id);
      if (book === undefined) return;
      markSeen("book", book);
      for (const row of listOf(book.contents)) {
        markSeen(String(row.type), row);
        for (const page of listOf(row.pages)) markSeen("page", page);
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

  async #forEach<T extends { path: string }>(
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
      this.#listener.say(`Stopped after ${MAX_OUTAGES} such failures in a row; run it again to continue`, "err");
    }
  }

  async #createContainer(
    kind: "book" | "chapter",
    container: PlannedContainer,
    exists: (kind: Kind, id: number) => Promise<boolean>,
  ): Promise<void> {
    const tally = kind === "book" ? this.report.books : this.report.chapters;
    const { path, name, priority } = container;
    if (await this.#isLoaded(path, exists)) {
      tally.skipped += 1;
      return;
    }
    const bookId = kind === "book" ? undefined : this.#idOf(container.book);
    const parent = bookId === undefined ? undefined : { book_id: bookId };
    await this.#createOnce({
      kind,
      path,
      name,
      parent: parent ?? {},
      body: { name, ...(parent ? { ...parent, priority } : {}) },
    });
    tally.created += 1;
  }

  async #createPage(page: PlannedPage, exists: (kind: Kind, id: number) => Promise<boolean>): Promise<void> {
    const { path, name, book, chapter } = page;
    if (await this.#isLoaded(path, exists)) {
      // A new name changes the address, which links of other pages need in the second pass.
      if (this.#state.get(path)?.name !== name) await this.#send(page);
      return;
    }
    const bookId = this.#idOf(book);
    const chapterId = chapter === undefined ? undefined : this.#idOf(chapter);
    const content = this.#bodyOf(page).body;
    const body = { ...(chapterId === undefined ? { book_id: bookId } : { chapter_id: chapterId }), ...content };
    const answer = await this.#createOnce({ kind: "page", path, name, body, parent: { book_id: bookId }, chapterId });
    this.#sent.add(path);
    this.report.pages.created += 1;
    if (answer) await this.#recordSent(path, answer, hashOf(content));
  }

  async #updatePage(page: PlannedPage): Promise<void> {
    const entry = this.#state.get(page.path);
    if (entry?.id === undefined || this.#failed.has(page.path)) return;
    const { images, others } = this.#bodyOf(page).linked;
    await this.#images.upload(images, entry.id);
    await this.#others.upload(others, entry.id);
    const { body, linked } = this.#bodyOf(page);
    this.report.linksUnresolved += linked.unresolved.length;
    this.report.imagesSkipped += linked.skipped.length;
    for (const link of linked.unresolved) this.report.notFound.push(`"${page.path}" links to ${link}`);
    for (const image of linked.skipped) this.report.notFound.push(`"${page.path}" shows ${image}`);
    if (hashOf(body) !== entry.hash) await this.#send(page);
    if (this.#sent.has(page.path)) this.report.linksRewritten += linked.rewritten;
    else this.report.pages.skipped += 1;
  }

  async #send(page: PlannedPage): Promise<void> {
    const { body } = this.#bodyOf(page);
    const answer = await this.#client.put(`${PATHS.page}/${this.#idOf(page.path)}`, body);
    if (!this.#sent.has(page.path)) this.report.pages.updated += 1;
    this.#sent.add(page.path);
    await this.#recordSent(page.path, answer, hashOf(body), page.name);
  }

  #recordSent(path: string, answer: Json, hash: string, name = this.#state.get(path)?.name ?? ""): Promise<void> {
    const slug = typeof answer.slug === "string" ? answer.slug : (this.#state.get(path)?.slug ?? "");
    const anchors = anchorsOf(typeof answer.html === "string" ? answer.html : "");
    return this.#state.set(path, { kind: "page", id: this.#idOf(path), slug, name, hash, anchors });
  }

  async #isLoaded(path: string, exists: (kind: Kind, id: number) => Promise<boolean>): Promise<boolean> {
    const entry = this.#state.get(path);
    return entry?.id !== undefined && (await exists(entry.kind, entry.id));
  }

  async #createOnce(request: CreateRequest): Promise<Json | undefined> {
    const above = this.#newestIds.get(request.kind) ?? 0;
    // Items of the same name are created one at a time, as the search for a pending one could find the other.
    const { kind, name, parent } = request;
    const work = () => createOnce(this.#client, this.#state, request, above);
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
      isLoaded: (path) => this.#planned.has(path),
      images: this.#images,
      others: this.#others,
      names: this.#names,
    });
    const { name, tags, priority } = page;
    return { linked, body: { name, markdown: linked.markdown, tags, priority } };
  }

  #addressOf(path: string, anchor: string | undefined, from: string): string | undefined {
    const entry = this.#state.get(path);
    if (entry?.slug === undefined || entry.kind === "image" || entry.kind === "attachment") return undefined;
    if (path === from && anchor === undefined) return undefined;
    const own = anchor === undefined ? undefined : (entry.anchors?.[anchor] ?? entry.anchors?.[anchorOf(anchor)]);
    // The heading that became the page's name is not part of the page; its anchor is the page's address.
    const isTitle = own === undefined && anchor !== undefined && anchorOf(titleIn(entry.name)) === anchorOf(anchor);
    if (path === from && !isTitle) return own === undefined ? undefined : `#${own}`;
    const book = this.#state.get(
      path.split("/").length === 1 && entry.kind === "page" ? "." : (path.split("/")[0] ?? ""),
    )?.slug;
    const below = { shelf: "", book: "", chapter: `/chapter/${entry.slug}`, page: `/page/${entry.slug}` }[entry.kind];
    const site = `${this.#siteUrl}/books/${entry.kind === "book" ? entry.slug : book}${below}`;
    return anchor === undefined || isTitle ? site : `${site}#${own ?? anchor}`;
  }
}

/** The title in a page's name, which begins with the folders below the chapter. */
function titleIn(name = ""): string {
  return name.split(" / ").at(-1) ?? name;
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value : [];
}
