/**
 * A runtime with pages to attach files to, for the tests of attachments, and the files on disk: stored ones, and those of
 * requests under way. One event fails on purpose: creating an attachment called "Undone" is rolled back at its end.
 */
import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ApiError, definePlugin } from "lectern/core";
import { type Answer, bootTestRuntime, type TestRuntime } from "./test_runtime.ts";

/** Fields of a form. */
export type Fields = Readonly<Record<string, string | File>>;

/** A runtime with a page and another one. */
export interface AttachmentStage {
  readonly runtime: TestRuntime;
  readonly page: number;
  readonly other: number;
  makePage(name: string): Promise<number>;
  /** Attaches something called Bolts to the page, unless the fields say otherwise. */
  attach(fields: Fields): Promise<Answer>;
  /** Paths of stored files, and of files of requests under way. */
  onDisk(): { stored: string[]; spooled: string[] };
  /** Runs something that must leave files and rows as they were. */
  leavesNothing(run: () => Promise<void>): Promise<void>;
}

/** Opens a runtime for a file of tests. */
export function openAttachments(): () => AttachmentStage {
  let stage: AttachmentStage | undefined;
  beforeAll(async () => {
    stage = await stageOf(await bootTestRuntime({ extra: [spoiler] }));
  }, 120_000);
  afterAll(async () => stage?.runtime.stop());
  return () => {
    if (!stage) throw new Error("Cannot attach before the runtime is open");
    return stage;
  };
}

/** A form of several parts. */
export function form(fields: Fields): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  return made;
}

const spoiler = definePlugin({
  name: "spoiler",
  setup: ({ on }) =>
    on.any({
      inTransaction({ name, result }) {
        if (name === "attachment_create" && (result as { name: string }).name === "Undone")
          throw new ApiError(409, "Undone");
      },
    }),
});

async function stageOf(runtime: TestRuntime): Promise<AttachmentStage> {
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Files" } })).body.id;
  const makePage = async (name: string): Promise<number> =>
    (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name, html: "<p>x</p>" } })).body.id;
  const page = await makePage("Holder");
  const rowCount = async () => (await runtime.ask("GET", "/api/attachments?count=1")).body.total as number;
  const onDisk = () => ({
    stored: filesBelow(join(runtime.dataDir, "files")),
    spooled: filesBelow(join(runtime.dataDir, "spool")),
  });
  return {
    runtime,
    page,
    other: await makePage("Other stage"),
    makePage,
    onDisk,
    attach: (fields) =>
      runtime.ask("POST", "/api/attachments", { parts: form({ name: "Bolts", uploaded_to: String(page), ...fields }) }),
    async leavesNothing(run) {
      const before = { ...onDisk(), rows: await rowCount() };
      await run();
      expect({ ...onDisk(), rows: await rowCount() }).toEqual({ ...before, spooled: [] });
    },
  };
}

function filesBelow(root: string): string[] {
  if (!existsSync(root)) return [];
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
