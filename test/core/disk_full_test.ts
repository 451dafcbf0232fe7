/**
 * A full disk is answered 507 wherever it shows, nothing half-written is left behind, and the next upload works once there is
 * room. Files fail here at the call that writes them, with the system's own error, of /dev/full where it has one. PostgreSQL
 * raises its own.
 */
import { afterAll, afterEach, beforeAll, expect, spyOn, test } from "bun:test";
import { readdirSync } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePlugin, sql } from "lectern/core";
import { picture } from "../support/data/sample_pictures.ts";
import { portable, upload } from "../support/data/sample_zips.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const FULL = "The server has no room left to store this. Its operator has to free some disk space.";
const ROOM = 50_000;

/** A plugin whose table space is full whenever a page is called so. */
const crowded = definePlugin({
  name: "crowded",
  migrations: {
    async "0001_init"(db) {
      await sql`create function crowd() returns void language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(db);
    },
  },
  setup({ on }) {
    on("page_create", {
      inTransaction: async ({ name }, tx) => {
        if (name !== "Full") return;
        await sql`select crowd()`.execute(tx.db);
      },
    });
  },
});

let runtime: TestRuntime;
let page: number;
let handles: FileHandle;
let isFull = false;
let written = 0;

beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [crowded] });
  const book = await runtime.ask("POST", "/api/books", { body: { name: "Book" } });
  page = (await runtime.ask("POST", "/api/pages", { body: { name: "Page", book_id: book.body.id, html: "<p>x</p>" } }))
    .body.id;
  const path = join(tmpdir(), `lectern-probe-${crypto.randomUUID()}`);
  const probe = await open(path, "wx");
  await unlink(path);
  handles = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  failWhenFull();
});
afterEach(() => {
  isFull = false;
});
afterAll(() => runtime.stop());

async function refuse(): Promise<never> {
  const error = await Bun.write("/dev/full", "x".repeat(10)).catch((cause: unknown) => cause);
  throw error instanceof Error
    ? error
    : Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
}

/** Lets every file have some room, and fails all writing beyond that while the disk is full. */
function failWhenFull(): void {
  for (const name of ["write", "writeFile"] as const) {
    const real = handles[name] as (...given: unknown[]) => Promise<unknown>;
    const failing = function (this: FileHandle, ...given: unknown[]) {
      written += (given[0] as Uint8Array | string).length;
      return isFull && written > ROOM ? refuse() : real.apply(this, given);
    };
    spyOn(handles, name).mockImplementation(failing as never);
  }
  const real = Bun.write as (...given: unknown[]) => Promise<number>;
  spyOn(Bun, "write").mockImplementation(((to: unknown, ...given: unknown[]) =>
    isFull && to !== "/dev/full" ? refuse() : real(to, ...given)) as never);
}

function fill(): void {
  written = 0;
  isFull = true;
}

/** Files in the folders of uploads. */
const lying = () =>
  ["spool", "files"].flatMap((folder) => {
    try {
      return readdirSync(join(runtime.dataDir, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name);
    } catch {
      return [];
    }
  });

const form = (field: string, content: Uint8Array<ArrayBuffer> | string, more: Record<string, string>) => {
  const parts = new FormData();
  for (const [name, value] of Object.entries(more)) parts.set(name, value);
  parts.set(field, new File([content], "file.png"));
  return parts;
};

const refusal = { error: { message: FULL, code: 507 } };

test("an upload that finds no room is a 507, leaves nothing behind, and works once there is room", async () => {
  const noise = await picture("png", { width: 300, height: 300 });
  const uploads: Record<string, () => ReturnType<TestRuntime["ask"]>> = {
    attachment: () =>
      runtime.ask("POST", "/api/attachments", {
        parts: form("file", "x".repeat(200_000), { name: "A", uploaded_to: String(page) }),
      }),
    picture: () =>
      runtime.ask("POST", "/api/image-gallery", {
        parts: form("image", noise, { type: "gallery", uploaded_to: String(page) }),
      }),
    import: () => upload(runtime, portable({ page: { name: "Packed", html: "<p>x</p>" } })),
    "picture within a page": () =>
      runtime.ask("PUT", `/api/pages/${page}`, {
        body: { html: `<p><img src="data:image/png;base64,${Buffer.from(noise).toString("base64")}"></p>` },
      }),
  };
  for (const [name, send] of Object.entries(uploads)) {
    const before = lying();
    fill();
    // The attachment breaks off in the middle, what is smaller at once.
    if (name !== "attachment") written = ROOM;
    const { status, body } = await send();
    isFull = false;
    expect([name, status, body]).toEqual([name, 507, refusal]);
    expect([name, lying().length - before.length]).toEqual([name, 0]);
    expect([name, (await send()).status]).toEqual([name, 200]);
  }
});

test("an export that finds no room for its file is a 507", async () => {
  const html = `<p>${"A long paragraph. ".repeat(120_000)}</p>`;
  const { body } = await runtime.ask("PUT", `/api/pages/${page}`, { body: { html } });
  fill();
  const { status, body: answer } = await runtime.ask("GET", `/api/pages/${body.id}/export/html`);
  expect([status, answer]).toEqual([507, refusal]);
  isFull = false;
  expect((await runtime.ask("GET", `/api/pages/${body.id}/export/html`)).status).toBe(200);
});

test("an import that finds no room to unpack is a 507, and can be run again", async () => {
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Target" } })).body.id;
  const noise = await picture("png", { width: 300, height: 300 });
  const images = [{ id: 1, name: "a", file: "a.png", type: "gallery" }];
  const bytes = portable({ page: { name: "With picture", html: "<p>x</p>", images } }, { "a.png": noise });
  const made = await upload(runtime, bytes);
  expect(made.status).toBe(200);
  const run = () =>
    runtime.ask("POST", `/api/imports/${made.body.id}`, { body: { parent_type: "book", parent_id: book } });
  fill();
  written = ROOM;
  const { status, body } = await run();
  expect([status, body]).toEqual([507, refusal]);
  isFull = false;
  expect((await run()).status).toBe(200);
});

test("a store whose disk is full is a 507, and nothing of the page is kept", async () => {
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Other" } })).body.id;
  const { status, body } = await runtime.ask("POST", "/api/pages", {
    body: { name: "Full", book_id: book, html: "<p>x</p>" },
  });
  expect([status, body]).toEqual([507, refusal]);
  expect((await runtime.ask("GET", "/api/pages?filter[name]=Full")).body.total).toBe(0);
});
