/**
 * The tests that every file store passes: those that ship, and those of plugins. They need a store that keeps nothing under keys
 * that begin with "suite-", and remove what they put there.
 */
import { describe, expect, test } from "bun:test";
import type { FileStoreProvider } from "lectern/contracts";
import type { StoredEntry } from "lectern/core";

/** A store under test, with or without a name. */
export type TestedStore = Omit<FileStoreProvider, "name">;

const PIECE = 1_000_000;
const PIECES = 12;
const MANY = 45;

const bytes = (text: string) => new TextEncoder().encode(text);

/**
 * Registers the tests of a file store with `bun:test`. `make` is called once for each test.
 * @example
 * testFileStore(() => vaultStore("http://localhost:9000"));
 */
export function testFileStore(make: () => TestedStore | Promise<TestedStore>, title = "a file store"): void {
  const prefix = `suite-${crypto.randomUUID().slice(0, 8)}`;
  let at = 0;
  /** Runs a test in a folder of its own, which is removed afterwards. */
  const check = (name: string, run: (store: TestedStore, folder: string) => Promise<void>) =>
    test(name, async () => {
      const store = await make();
      const folder = `${prefix}/${at++}`;
      try {
        await run(store, folder);
      } finally {
        for (const { key } of await entriesOf(store, `${folder}/`)) await store.remove(key);
      }
    });

  describe(title, () => {
    check("returns what was put, whole and in ranges, until it is removed", async (store, folder) => {
      const key = `${folder}/rack.png`;
      expect(await store.put(key, bytes("0123456789"))).toBe(10);
      const file = await store.get(key);
      expect([file?.size, await textOf(file?.stream())]).toEqual([10, "0123456789"]);
      expect(await file?.bytes()).toEqual(bytes("0123456789"));
      expect(await textOf(file?.stream({ start: 2, end: 5 }))).toBe("234");
      expect([await textOf(file?.body()), await textOf(file?.body({ start: 9, end: 10 }))]).toEqual([
        "0123456789",
        "9",
      ]);
      expect(await textOf(file?.body({ start: 10, end: 10 }))).toBe("");
      await store.remove(key);
      expect(await store.get(key)).toBeUndefined();
    });

    check("has no file that was not put, and removes it without an error", async (store, folder) => {
      expect(await store.get(`${folder}/missing`)).toBeUndefined();
      await store.remove(`${folder}/missing`);
      await store.put(`${folder}/deep/file`, bytes("x"));
      expect(await store.get(`${folder}/deep`)).toBeUndefined();
    });

    check("replaces a file by a longer and by a shorter one", async (store, folder) => {
      for (const text of ["one", "twenty-one", "2"]) {
        expect(await store.put(`${folder}/file`, bytes(text))).toBe(text.length);
        expect(await textOf((await store.get(`${folder}/file`))?.stream())).toBe(text);
      }
      expect(await entriesOf(store, `${folder}/`)).toHaveLength(1);
    });

    check("takes bytes, a Blob, a stream, and nothing at all", async (store, folder) => {
      const contents = [bytes("same"), new Blob(["same"]), new Blob(["same"]).stream()];
      for (const content of contents) {
        expect(await store.put(`${folder}/file`, content)).toBe(4);
        expect(await textOf((await store.get(`${folder}/file`))?.stream())).toBe("same");
      }
      expect(await store.put(`${folder}/empty`, new Blob([]))).toBe(0);
      const empty = await store.get(`${folder}/empty`);
      expect([empty?.size, await textOf(empty?.stream())]).toEqual([0, ""]);
    });

    check("keeps a large stream byte by byte", async (store, folder) => {
      expect(await store.put(`${folder}/large`, piecesOf(PIECES))).toBe(PIECES * PIECE);
      const file = await store.get(`${folder}/large`);
      const hash = new Bun.CryptoHasher("sha256");
      for await (const chunk of file?.stream() ?? []) hash.update(chunk);
      const expected = new Bun.CryptoHasher("sha256");
      for await (const chunk of piecesOf(PIECES)) expected.update(chunk);
      expect([file?.size, hash.digest("hex")]).toEqual([PIECES * PIECE, expected.digest("hex")]);
      const [from, to] = [5 * PIECE - 1, 5 * PIECE + 1];
      const edge = new Uint8Array(await new Response(file?.stream({ start: from, end: to })).arrayBuffer());
      expect([...edge]).toEqual([4, 5]);
    });

    check("changes nothing where the content fails half-way", async (store, folder) => {
      const failing = () => piecesOf(PIECES, new Error("the client went away"));
      await expect(store.put(`${folder}/new`, failing())).rejects.toThrow();
      expect(await store.get(`${folder}/new`)).toBeUndefined();
      await store.put(`${folder}/old`, bytes("as before"));
      await expect(store.put(`${folder}/old`, failing())).rejects.toThrow();
      expect(await textOf((await store.get(`${folder}/old`))?.stream())).toBe("as before");
      expect((await entriesOf(store, `${folder}/`)).map(({ key }) => key)).toEqual([`${folder}/old`]);
    });

    check("of two puts at the same time one wins as a whole", async (store, folder) => {
      const texts = ["a".repeat(PIECE), "b".repeat(PIECE)];
      await Promise.all(texts.map((text) => store.put(`${folder}/file`, bytes(text))));
      const text = await textOf((await store.get(`${folder}/file`))?.stream());
      expect(texts.includes(text)).toBe(true);
    });

    check("keeps names as they are", async (store, folder) => {
      const names = ["with space.txt", "ümläut-文書.md", "a+b&c=d?e#f%20", "~'\"()[]{}!$,;@^`|<>*:", "x".repeat(200)];
      for (const name of names) await store.put(`${folder}/${name}`, bytes(name));
      for (const name of names)
        expect([name, await textOf((await store.get(`${folder}/${name}`))?.stream())]).toEqual([name, name]);
      const listed = (await entriesOf(store, `${folder}/`)).map(({ key }) => key.slice(folder.length + 1));
      expect(listed.sort()).toEqual(names.toSorted());
    });

    check("lists all files of a prefix with size and time, however many", async (store, folder) => {
      const keys = Array.from({ length: MANY }, (_, number) => `${folder}/many/${number}`);
      for (const key of keys) await store.put(key, bytes(key));
      await store.put(`${folder}/manymore`, bytes("x"));
      const listed = await entriesOf(store, `${folder}/many/`);
      expect(listed.map(({ key }) => key).sort()).toEqual(keys.toSorted());
      for (const { key, size, modified } of listed)
        expect([key, size, Number.isFinite(modified.getTime())]).toEqual([key, key.length, true]);
      expect(await entriesOf(store, `${folder}/ma`)).toHaveLength(MANY + 1);
      const all = (await entriesOf(store)).map(({ key }) => key);
      expect(keys.every((key) => all.includes(key))).toBe(true);
      expect(await entriesOf(store, `${folder}/none/`)).toEqual([]);
    });
  });
}

function entriesOf(store: TestedStore, prefix?: string): Promise<StoredEntry[]> {
  return Array.fromAsync(store.list(prefix));
}

function textOf(body: Blob | ReadableStream<Uint8Array> | undefined): Promise<string> {
  return new Response(body).text();
}

/** Pieces of a megabyte, each filled with its number; with an error after the half of them. */
function piecesOf(count: number, error?: Error): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (error && at >= count / 2) controller.error(error);
      else if (at === count) controller.close();
      else controller.enqueue(new Uint8Array(PIECE).fill(at++));
    },
  });
}
