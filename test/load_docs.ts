#!/usr/bin/env bun
/**
 * Loads the Markdown of bun-types (1,400 files) into a server through the `load` command and prints the final counts:
 * `bun test/load_docs.ts --base-url URL --token ID:SECRET [--limit N]`. Its state lies in a temporary file unless
 * --state names one, so every run loads anew.
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { load } from "../plugins/transfer/loader/command.ts";

const docs = join(dirname(Bun.resolveSync("bun-types/package.json", import.meta.dir)), "docs");
const given = process.argv.slice(2);
const state = given.includes("--state")
  ? []
  : ["--state", join(await mkdtemp(join(tmpdir(), "lectern-load-")), "state.json")];
process.exitCode = await load.run([docs, ...given, ...state], {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  env: process.env,
  columns: process.stdout.columns ?? 80,
  tty: process.stdout.isTTY === true,
});
