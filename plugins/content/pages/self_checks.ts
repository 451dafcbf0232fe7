/**
 * The checks of pages: each is in the book of its chapter, has a revision and a count of them that fits, and what is
 * derived from its content is what a save would derive now. All of it follows from other rows, so all of it is repaired.
 */
import type { Kysely } from "kysely";
import { Findings, type Markup, referenceCheck, type SelfCheck } from "lectern/contracts";
import { freeSlug, sql } from "lectern/core";
import type { Tables } from "lectern/db";

type PagesDb = Kysely<Pick<Tables, "books" | "chapters" | "page_revisions" | "pages">>;

/** Pages that one statement reads or writes. */
const BATCH = 200;
/** Pages whose content is in memory at a time. */
const RENDERED_AT_ONCE = 20;
/** The summary of a revision that a repair has made. */
const SUMMARY = "Made by doctor: the revision was missing";

/** The checks over the tables of pages. */
export function pageChecks(db: PagesDb, markup: Pick<Markup, "store">): SelfCheck[] {
  return [
    referenceCheck(db, {
      name: "pages/revisions",
      title: "Every revision belongs to a page",
      references: () => [{ table: "page_revisions", column: "page_id", to: "pages" }],
      repair: "delete",
    }),
    byIds({
      name: "pages/chapters",
      title: "Every page is in the book of its chapter",
      idsAfter: (after) => inOtherBooks(db, after),
      repair: async (ids) => {
        for (const id of ids) await moveToBookOfChapter(db, id);
      },
    }),
    byIds({
      name: "pages/revision_counts",
      title: "The revision count of every page is that of its newest revision or beyond",
      idsAfter: (after) => withLowCounts(db, after),
      repair: (ids) => raiseCounts(db, ids),
    }),
    byIds({
      name: "pages/without_revisions",
      title: "Every page has a revision",
      idsAfter: (after) => withoutRevision(db, after),
      repair: (ids) => addRevisions(db, ids),
    }),
    byIds({
      name: "pages/newest_revisions",
      title: "The newest revision of every page has its content",
      // It reads the content of all pages.
      onDemand: true,
      idsAfter: (after) => withoutNewest(db, after),
      repair: (ids) => addNewest(db, ids),
    }),
    renderingCheck(db, markup),
  ];
}

interface IdsCheck extends Pick<SelfCheck, "name" | "title" | "onDemand"> {
  /** The next pages that are wrong, in order of their ids, at most `BATCH`. */
  idsAfter(after: number): Promise<number[]>;
  repair(ids: readonly number[]): Promise<void>;
}

/** A check that finds pages by their ids, in batches. */
function byIds({ idsAfter, repair, ...check }: IdsCheck): SelfCheck {
  async function* batches() {
    for (let ids = await idsAfter(0); ids.length > 0; ids = await idsAfter(ids.at(-1) ?? 0)) yield ids;
  }
  return {
    ...check,
    async check() {
      const findings = new Findings();
      for await (const ids of batches()) for (const id of ids) findings.add(`page ${id}`);
      return findings.as("error");
    },
    async fix() {
      let repaired = 0;
      for await (const ids of batches()) {
        await repair(ids);
        repaired += ids.length;
      }
      return repaired;
    },
  };
}

async function inOtherBooks(db: PagesDb, after: number): Promise<number[]> {
  const found = await db
    .selectFrom("pages")
    .innerJoin("chapters", "chapters.id", "pages.chapter_id")
    .select("pages.id")
    .whereRef("chapters.book_id", "<>", "pages.book_id")
    .where("pages.id", ">", after)
    .orderBy("pages.id")
    .limit(BATCH)
    .execute();
  return found.map(({ id }) => id);
}

/** Readers find a page in its chapter, so the chapter decides. Its former address stays known, by the triggers of addresses. */
async function moveToBookOfChapter(db: PagesDb, id: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const page = await tx
      .selectFrom("pages")
      .innerJoin("chapters", "chapters.id", "pages.chapter_id")
      .select(["pages.name", "pages.slug", "pages.draft", "chapters.book_id"])
      .where("pages.id", "=", id)
      .whereRef("chapters.book_id", "<>", "pages.book_id")
      .forUpdate("pages")
      .executeTakeFirst();
    if (!page) return;
    const { book_id } = page;
    const isTaken = await tx
      .selectFrom("pages")
      .select("id")
      .where("book_id", "=", book_id)
      .where("slug", "=", page.slug)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
    const where = sql<boolean>`book_id = ${book_id}::integer`;
    // Kysely's type of a transaction over some tables is none over all; the names in the statement are of this table.
    const slug = isTaken ? await freeSlug(tx as never, "pages", page.name, { id, where }) : page.slug;
    await tx.updateTable("pages").set({ book_id, slug }).where("id", "=", id).execute();
  });
}

async function withLowCounts(db: PagesDb, after: number): Promise<number[]> {
  const found = await db
    .selectFrom("pages")
    .select("id")
    .where("draft", "=", false)
    .where((eb) =>
      eb(
        "revision_count",
        "<",
        eb
          .selectFrom("page_revisions")
          .select((of) => of.fn.coalesce(of.fn.max("number"), of.lit(1)).as("newest"))
          .whereRef("page_id", "=", "pages.id"),
      ),
    )
    .where("id", ">", after)
    .orderBy("id")
    .limit(BATCH)
    .execute();
  return found.map(({ id }) => id);
}

async function raiseCounts(db: PagesDb, ids: readonly number[]): Promise<void> {
  await db
    .updateTable("pages")
    .set((eb) => ({
      revision_count: eb.fn<number>("greatest", [
        "revision_count",
        eb.lit(1),
        eb
          .selectFrom("page_revisions")
          .select((of) => of.fn.max("number").as("newest"))
          .whereRef("page_id", "=", "pages.id"),
      ]),
    }))
    .where("id", "in", [...ids])
    .execute();
}

/** The newest revision is never deleted, so there is at least one. */
async function withoutRevision(db: PagesDb, after: number): Promise<number[]> {
  const found = await db
    .selectFrom("pages")
    .select("id")
    .where("draft", "=", false)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom("page_revisions").select("page_id").whereRef("page_id", "=", "pages.id"))),
    )
    .where("id", ">", after)
    .orderBy("id")
    .limit(BATCH)
    .execute();
  return found.map(({ id }) => id);
}

/**
 * Pages with other content than their newest revision, which each change of it writes. Of a page in Markdown that is compared, since
 * a save of the same Markdown writes no revision and may render it anew.
 */
async function withoutNewest(db: PagesDb, after: number): Promise<number[]> {
  const found = await db
    .selectFrom("pages")
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("page_revisions as one")
          .select(["one.name", "one.html", "one.markdown"])
          .whereRef("one.page_id", "=", "pages.id")
          .orderBy("one.id", "desc")
          .limit(1)
          .as("newest"),
      (join) => join.onTrue(),
    )
    .select("pages.id")
    .where("pages.draft", "=", false)
    .where((eb) =>
      eb.or([
        eb("newest.name", "<>", eb.ref("pages.name")),
        eb("newest.markdown", "<>", eb.ref("pages.markdown")),
        eb.and([eb("pages.markdown", "=", ""), eb("newest.html", "<>", eb.ref("pages.html"))]),
      ]),
    )
    .where("pages.id", ">", after)
    .orderBy("pages.id")
    .limit(BATCH)
    .execute();
  return found.map(({ id }) => id);
}

/** Adds the content as a revision, with a number of its own. */
async function addNewest(db: PagesDb, ids: readonly number[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx
      .updateTable("pages")
      .set((eb) => ({
        revision_count: eb.fn<number>("greatest", [
          "revision_count",
          eb
            .selectFrom("page_revisions")
            .select((of) => of(of.fn.max("number"), "+", of.lit(1)).as("next"))
            .whereRef("page_id", "=", "pages.id"),
        ]),
      }))
      .where("id", "in", [...ids])
      .execute();
    await addRevisions(tx, ids);
  });
}

async function addRevisions(db: PagesDb, ids: readonly number[]): Promise<void> {
  await db
    .insertInto("page_revisions")
    .columns([
      ...(["page_id", "number", "name", "slug", "book_slug", "html", "markdown", "text"] as const),
      ...(["summary", "created_by", "created_at"] as const),
    ])
    .expression((eb) =>
      eb
        .selectFrom("pages")
        .leftJoin("books", "books.id", "pages.book_id")
        .select(["pages.id", "pages.revision_count", "pages.name", "pages.slug"])
        .select((of) => of.fn.coalesce("books.slug", of.val("")).as("book_slug"))
        .select(["pages.html", "pages.markdown", "pages.text"])
        .select((of) => of.val(SUMMARY).as("summary"))
        .select(["pages.updated_by", "pages.updated_at"])
        .where("pages.id", "in", [...ids]),
    )
    .execute();
}

interface Derived {
  readonly id: number;
  readonly html: string;
  readonly text: string;
  readonly rendered: string | null;
}

/** What is derived from the content at a save is stored, so it stays as a former version, or somebody by hand, has made it. */
function renderingCheck(db: PagesDb, markup: Pick<Markup, "store">): SelfCheck {
  async function* stale(): AsyncGenerator<Derived> {
    for (let after = 0; ; ) {
      const pages = await db
        .selectFrom("pages")
        .select(["id", "html", "markdown", "text", "rendered"])
        .where("id", ">", after)
        .orderBy("id")
        .limit(RENDERED_AT_ONCE)
        .execute();
      for (const page of pages) {
        const derived = await derivedAnew(page, markup);
        if (derived) yield { id: page.id, html: page.html, ...derived };
      }
      const last = pages.at(-1);
      if (!last) return;
      after = last.id;
    }
  }
  return {
    name: "pages/renderings",
    title: "What is shown and found of every page is what its content renders to",
    onDemand: true,
    async check() {
      const findings = new Findings();
      for await (const { id } of stale()) findings.add(`page ${id}`);
      return findings.as("error");
    },
    async fix() {
      let repaired = 0;
      for await (const { id, html, text, rendered } of stale()) {
        // Not where the page was saved meanwhile.
        await db.updateTable("pages").set({ text, rendered }).where("id", "=", id).where("html", "=", html).execute();
        repaired++;
      }
      return repaired;
    },
  };
}

/** The text and rendered HTML of a page where they differ from what is stored. */
async function derivedAnew(
  page: Omit<Derived, "id"> & { readonly markdown: string },
  markup: Pick<Markup, "store">,
): Promise<Pick<Derived, "text" | "rendered"> | undefined> {
  const isSame = ({ text, rendered }: Pick<Derived, "text" | "rendered">) =>
    text === page.text && rendered === page.rendered;
  const { text, rendered } = await markup.store({ html: page.html });
  if (isSame({ text, rendered })) return undefined;
  // Broken markup within Markdown can be nested otherwise when its HTML is parsed again.
  if (page.markdown !== "" && isSame(await markup.store({ markdown: page.markdown }))) return undefined;
  return { text, rendered };
}
