/**
 * Copies everything: lists the source, reserves an id and address for each item, then copies kind by kind, parents before
 * children. A failure is reported and the run continues; several failures of the source in a row stop it. An unfinished run
 * is resumed and skips what it has processed; after a finished run, the next one reads what the listings show as changed
 * (`marks.ts`) and writes what differs. Nothing is deleted here.
 */
import { AnswerError, inParallel, type Json } from "lectern/cli";
import { ApiError } from "lectern/core";
import { copyAttachment } from "./attachments.ts";
import { copyBookOrShelf, copyChapter } from "./books.ts";
import { overridesOf } from "./content.ts";
import type { Kind, MigrateContext, Outcome } from "./contract.ts";
import { copyImage } from "./images.ts";
import type { MarkedKind } from "./marks.ts";
import { copyPage } from "./pages.ts";
import { reserveTargets, type SourceListing } from "./plan.ts";
import { copyRole, copyUser, matchRoles, matchUsers } from "./roles_and_users.ts";
import { idIn, textOf } from "./values.ts";

/** How many consecutive failures of the source or the network stop a run. */
export const MAX_OUTAGES = 3;
/** Concurrency of attachments, which are transferred whole and as base64. */
const MAX_ATTACHMENTS = 2;

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
export async function copyAll(context: MigrateContext): Promise<void> {
  const { state, marks, report, options } = context;
  await marks.open();
  await copyRolesAndUsers(context);
  const listing = await listSource(context);
  await reserveTargets(context, listing);
  await copyChanged(context, "book", listing.books, (id, item) => copyBookOrShelf(context, "book", id, item));
  await copyChanged(context, "chapter", listing.chapters, (id, item) => copyChapter(context, id, item));
  await copyChanged(context, "page", listing.pages, (id, item) => copyPage(context, id, item));
  await copyInFull(context, "bookshelf", listing.shelves, (id, item) =>
    copyBookOrShelf(context, "bookshelf", id, item),
  );
  await copyEach(context, "image", listing.images, (id, row) => copyImage(context, id, row));
  const limited = { ...context, options: { ...options, concurrency: Math.min(MAX_ATTACHMENTS, options.concurrency) } };
  await copyEach(limited, "attachment", listing.attachments, (id, row) => copyAttachment(context, id, row));
  if (report.stopped) return;
  reportMissing(context, listing);
  await state.finish();
}

async function copyRolesAndUsers(context: MigrateContext): Promise<void> {
  const { source, report } = context;
  const roles = await source.allIfReadable("roles");
  const users = await source.allIfReadable("users");
  if (!roles)
    report.remark(
      "The token may not read roles: neither roles nor the roles of users are copied; roles here are matched by name.",
    );
  if (!users) report.remark("The token may not read users: none are copied, and copied items have no owner.");
  await matchRoles(context, roles ?? []);
  await copyInFull(context, "role", roles ?? [], (id, item) => copyRole(context, id, item));
  await matchUsers(context, users ?? []);
  // Users are never updated: those that were copied or matched are not read again.
  await copyEach(context, "user", users ?? [], async (id) =>
    context.state.get("user", id)?.hash == null
      ? copyUser(context, id, await readInFull(context, "user", id))
      : "skipped",
  );
}

async function listSource({ source, report }: MigrateContext): Promise<SourceListing> {
  const images = await source.allIfReadable("image-gallery");
  if (!images) report.remark("The API of the source does not provide images: none are copied.");
  const pages = await source.all("pages");
  const attachments = await source.all("attachments");
  const drafts = pages.filter(({ draft }) => draft === true).length;
  if (drafts > 0) report.remark(`${drafts} drafts are not copied: they belong to the owner of the token.`);
  const copied = new Set(pages.filter(({ draft }) => draft !== true).map(idIn));
  const isAttached = ({ uploaded_to }: Json) => copied.has(idIn(uploaded_to));
  const unattached = [...attachments, ...(images ?? [])].filter((file) => !isAttached(file)).length;
  if (unattached > 0)
    report.remark(`${unattached} files are not copied: they belong to drafts, or to pages in the recycle bin.`);
  return {
    shelves: await source.all("shelves"),
    books: await source.all("books"),
    chapters: await source.all("chapters"),
    pages: pages.filter(({ draft }) => draft !== true),
    images: (images ?? []).filter(isAttached),
    attachments: attachments.filter(isAttached),
  };
}

/** Copies the items of a kind, reading each in full. */
async function copyInFull(context: MigrateContext, kind: Kind, items: readonly Json[], copy: Copy): Promise<void> {
  await copyEach(context, kind, items, async (id) => copy(id, await readInFull(context, kind, id)));
}

async function readInFull({ source }: MigrateContext, kind: Kind, id: number): Promise<Json> {
  const item = await source.read(NAMES[kind], id);
  if (!item) throw new AnswerError(404, "it was deleted in the meantime");
  return item;
}

/** Copies the items of a kind, reading in full those that their marks do not show as unchanged. */
async function copyChanged(
  context: MigrateContext,
  kind: MarkedKind,
  items: readonly Json[],
  copy: Copy,
): Promise<void> {
  const { marks, report, state } = context;
  const found = marks.ofRows(kind, items);
  await copyEach(context, kind, items, async (id, row) => {
    const mark = found.get(id);
    const permissions = () => overridesOf(context, kind, id, `${kind} "${textOf(row.name)}"`);
    if (await marks.isUnchanged(kind, id, mark, permissions)) {
      for (const _ of kind === "page" ? marks.commentsOf(id) : []) report.count("comment", "skipped");
      await state.markProcessed(kind, id);
      return "skipped";
    }
    const outcome = await copy(id, await readInFull(context, kind, id));
    await marks.store(kind, id, mark, outcome);
    return outcome;
  });
}

/** Copies the items of a kind and counts their outcomes. */
async function copyEach(context: MigrateContext, kind: Kind, items: readonly Json[], copy: Copy): Promise<void> {
  const { state, report, listener, options } = context;
  if (report.stopped) return;
  listener.begin(NAMES[kind], items.length);
  let outages = 0;
  await inParallel(options.concurrency, items, async (row) => {
    const id = idIn(row) ?? 0;
    if (report.stopped) return;
    const entry = state.get(kind, id);
    try {
      if (state.resumed && entry?.run === state.run) report.count(kind, "skipped");
      else {
        const outcome = await copy(id, row);
        if (!outcome) throw new AnswerError(424, "its parent was not copied");
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

/** Reports items that an earlier run copied and the source no longer lists. */
function reportMissing({ state, report }: MigrateContext, listing: SourceListing): void {
  const lists = {
    bookshelf: listing.shelves,
    book: listing.books,
    chapter: listing.chapters,
    page: listing.pages,
  } as const;
  for (const kind of ["bookshelf", "book", "chapter", "page"] as const) {
    const there = new Set(lists[kind].map(idIn));
    for (const [id, entry] of state.ofKind(kind))
      if (entry.hash !== null && !there.has(id)) report.add("missing", `${kind} ${id} "${entry.slug}"`);
  }
}
