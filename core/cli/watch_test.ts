import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { watchSources } from "./watch.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "lectern-watch-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text = ""): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

test("files that are written, renamed into place, created in a new folder or deleted are reported, and no others", async () => {
  const plugin = write("mine/plugin.ts", "one");
  const choices = write("package.json", "{}");
  let reported = Promise.withResolvers<readonly string[]>();
  const sources = watchSources({
    folders: [join(folder, "mine"), join(folder, "absent")],
    files: [choices],
    without: join(folder, "mine/data"),
    onChange: (paths) => reported.resolve(paths),
  });
  /** The files reported after some changes, of which some must not be reported. */
  const after = async (work: () => void) => {
    reported = Promise.withResolvers();
    work();
    return (await reported.promise).toSorted();
  };
  try {
    expect(await after(() => void write("mine/plugin.ts", "two!"))).toEqual([plugin]);
    const saved = () => renameSync(write("mine/.plugin.ts.swp", "three"), plugin);
    expect(await after(saved)).toEqual([plugin]);
    const deep = join(folder, "mine/new/deep/words.ts");
    expect(await after(() => void write("mine/new/deep/words.ts"))).toEqual([deep]);
    expect(await after(() => void write("mine/new/deep/words.ts", "more"))).toEqual([deep]);
    const unseen = ["mine/node_modules/x/x.ts", "mine/data/x.ts", "mine/.git/x.ts", "mine/x.log", "other.json"];
    const choose = () => {
      for (const path of unseen) write(path, "x");
      write("package.json", '{"lectern":{}}');
    };
    expect(await after(choose)).toEqual([choices]);
    const anew = () => {
      rmSync(join(folder, "mine/new"), { recursive: true });
      write("mine/new/deep/words.ts", "anew");
    };
    expect(await after(anew)).toEqual([deep]);
    expect(await after(() => void write("mine/new/deep/words.ts", "and more"))).toEqual([deep]);
    expect(await after(() => rmSync(join(folder, "mine/new"), { recursive: true }))).toEqual([deep]);
    expect(await after(() => void write("mine/new/deep/words.ts", "again"))).toEqual([deep]);
    const added = write("added/plugin.ts", "one");
    sources.follow([join(folder, "added")]);
    const both = () => {
      write("mine/plugin.ts", "no longer watched");
      write("added/plugin.ts", "more");
    };
    expect(await after(both)).toEqual([added]);
  } finally {
    sources.close();
  }
});
