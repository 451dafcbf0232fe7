import { expect, test } from "bun:test";
import { Type as t } from "@sinclair/typebox";
import { refusedFiles } from "../files/file_store.ts";
import { definePlugin } from "../runtime/plugin.ts";
import { openedFiles, openPlace } from "./opened_files.ts";

const vault = definePlugin({
  name: "vault",
  settings: t.Object({}),
  fileStore: {
    name: "vault",
    check: "",
    place: () => "here",
    describe: () => "the vault",
    open: () => refusedFiles("vault"),
    openOther: () => refusedFiles("vault"),
  },
  setup() {},
});

test.each([
  [{ denied: { vault: ["slots"] as const } }, '"denied" in package.json names "slots"'],
  [{ grants: { version: 2, plugins: { vault: {} } } }, "accepts:\n  + slots: file_store\n"],
])(
  "a file store that the operator denied or did not accept is not opened without a boot either: %j",
  (choices, said) => {
    const sources = { env: {}, ...choices };
    expect(() => openedFiles({ filesStore: "", dataDir: "data" }, [vault], sources)).toThrow(said);
    expect(() => openPlace("vault", "there", [vault], sources)).toThrow(said);
  },
);

test("a file store that was accepted, or of a plugin that nobody pinned, is opened", () => {
  for (const grants of [undefined, { version: 2, plugins: { vault: { slots: ["file_store"] } } }])
    expect(openedFiles({ filesStore: "", dataDir: "data" }, [vault], { env: {}, grants }).name).toBe("vault");
});
