/**
 * The run: list everything, keep a place here for each thing, then copy kind by kind, parents before what they hold. What
 * fails is told and left; a source that fails several times in a row stops the run. A run that did not end is gone on with
 * and passes over what it was through with; the next one after that looks at everything again and writes what differs.
 * Nothing is ever deleted here.
 */
import { AnswerError, inParallel, type Json } from "lectern/cli";
import { ApiError } from "lectern/core";
import { copyAttachment } from "./attachments.ts";
import { copyChapter, copyTop } from "./books.ts";
import type { Kind, Outcome } from "./contract.ts";
import { copyPage } from "./pages.ts";
import { copyRole, copyUser, matchRoles, matchUsers } from "./people.ts";
import { copyPicture } from "./pictures.ts";
import { reservePlaces, type Stock } from "./plan.ts";
import type { Run } from "./run_parts.ts";
import { idIn, textOf } from "./values.ts";

/** How many failures in a row, of the source or the way there, end a run. */
export const MAX_OUTAGES = 3;
/** Attachments come whole and as text: few at a time. */
const FILES_AT_ONCE = 2;

const NAMES: Readonly<Record<Kind, string>> = {
  role: "roles",
  user: "users",
  bookshelf: "shelves",
  book: "books",
  chapter: "chapters",
  page: "pages",
  image: "image-gallery",
  cover: "covers",
  attachment: "attachments",
  comment: "comments",
};

type Copy = (id: number, row: Json) => Promise<Outcome | undefined>;

/** Copies everything. Throws AnswerError where the source cannot be listed. */
export async function copyAll(run: Run): Promise<void> {
  const { state, report, choices } = run;
  await people(run);
  const stock = await listed(run);
  await reservePlaces(run, stock);
  await each(
    run,
    "book",
    stock.books,
    inFull(run, "book", (id, item) => copyTop(run, "book", id, item)),
  );
  await each(
    run,
    "chapter",
    stock.chapters,
    inFull(run, "chapter", (id, item) => copyChapter(run, id, item)),
  );
  await each(
    run,
    "page",
    stock.pages,
    inFull(run, "page", (id, item) => copyPage(run, id, item)),
  );
  await each(
    run,
    "bookshelf",
    stock.shelves,
    inFull(run, "bookshelf", (id, item) => copyTop(run, "bookshelf", id, item)),
  );
  await each(run, "image", stock.pictures, (id, row) => copyPicture(run, id, row));
  const few = { ...run, choices: { ...choices, concurrency: Math.min(FILES_AT_ONCE, choices.concurrency) } };
  await each(few, "attachment", stock.attachments, (id, row) => copyAttachment(run, id, row));
  if (report.stopped) return;
  tellGone(run, stock);
  await state.finish();
}

async function people(run: Run): Promise<void> {
  const { source, report } = run;
  const roles = await source.allIfShown("roles");
  const users = await source.allIfShown("users");
  if (!roles)
    report.remark("The token may not read roles: none are copied, and none of users; roles here are matched by name.");
  if (!users) report.remark("The token may not read users: none are copied, and nobody owns what is copied.");
  await matchRoles(run, roles ?? []);
  await each(
    run,
    "role",
    roles ?? [],
    inFull(run, "role", (id, item) => copyRole(run, id, item)),
  );
  await matchUsers(run, users ?? []);
  await each(
    run,
    "user",
    users ?? [],
    inFull(run, "user", (id, item) => copyUser(run, id, item)),
  );
}

async function listed({ source, report }: Run): Promise<Stock> {
  const pictures = await source.allIfShown("image-gallery");
  if (!pictures) report.remark("The source shows no pictures over its API: none are copied.");
  const pages = await source.all("pages");
  const attachments = await source.all("attachments");
  const drafts = pages.filter(({ draft }) => draft === true).length;
  if (drafts > 0) report.remark(`${drafts} drafts are not copied: they are nobody's but the token's owner's.`);
  const copied = new Set(pages.filter(({ draft }) => draft !== true).map(idIn));
  const hangs = ({ uploaded_to }: Json) => copied.has(idIn(uploaded_to));
  const loose = [...attachments, ...(pictures ?? [])].filter((file) => !hangs(file)).length;
  if (loose > 0) report.remark(`${loose} files are not copied: they hang on drafts, or on pages in the recycle bin.`);
  return {
    shelves: await source.all("shelves"),
    books: await source.all("books"),
    chapters: await source.all("chapters"),
    pages: pages.filter(({ draft }) => draft !== true),
    pictures: (pictures ?? []).filter(hangs),
    attachments: attachments.filter(hangs),
  };
}

/** Reads an item in full before it is copied. */
function inFull({ source }: Run, kind: Kind, copy: Copy): Copy {
  return async (id) => {
    const item = await source.read(NAMES[kind], id);
    if (!item) throw new AnswerError(404, "it has gone meanwhile");
    return copy(id, item);
  };
}

/** Copies the items of a kind, and counts what became of each. */
async function each(run: Run, kind: Kind, items: readonly Json[], copy: Copy): Promise<void> {
  const { state, report, listener, choices } = run;
  if (report.stopped) return;
  listener.begin(NAMES[kind], items.length);
  let outages = 0;
  await inParallel(choices.concurrency, items, async (row) => {
    const id = idIn(row) ?? 0;
    if (report.stopped) return;
    const entry = state.get(kind, id);
    try {
      if (state.resumed && entry?.run === state.run) report.count(kind, "skipped");
      else {
        const outcome = await copy(id, row);
        if (!outcome) throw new AnswerError(424, "what it belongs to is not here");
        report.count(kind, outcome);
        if (outcome === "edited" || outcome === "removed") report.add(outcome, labelOf(kind, row));
      }
      outages = 0;
    } catch (error) {
      report.count(kind, "failed");
      report.add("failed", `${labelOf(kind, row)}: ${errorOf(error)}`);
      outages = error instanceof ApiError || (error instanceof AnswerError && !error.outage) ? 0 : outages + 1;
      if (outages >= MAX_OUTAGES && !report.stopped) {
        report.stopped = true;
        listener.say(`Stopped after ${MAX_OUTAGES} such failures in a row: ${errorOf(error)}`, "err");
      }
    }
    listener.step();
  });
}

function labelOf(kind: Kind, row: Json): string {
  return `${kind} ${idIn(row) ?? 0} "${textOf(row.name) || textOf(row.display_name)}"`;
}

function errorOf(error: unknown): string {
  const fields = error instanceof ApiError ? Object.values(error.details.validation ?? {}).flat() : [];
  if (fields.length > 0) return fields.join(" ");
  return error instanceof Error ? error.message : String(error);
}

/** What an earlier run copied and the source does not list any more. */
function tellGone({ state, report }: Run, stock: Stock): void {
  const lists = { bookshelf: stock.shelves, book: stock.books, chapter: stock.chapters, page: stock.pages } as const;
  for (const kind of ["bookshelf", "book", "chapter", "page"] as const) {
    const there = new Set(lists[kind].map(idIn));
    for (const [id, entry] of state.ofKind(kind))
      if (entry.hash !== null && !there.has(id)) report.add("gone", `${kind} ${id} "${entry.slug}"`);
  }
}
