#!/usr/bin/env bun
/** The program. The npm package has it as a bundle too (`.ci/pack.ts`), which loads in two thirds of the time. */
import { existsSync } from "node:fs";
import { join } from "node:path";

const bundle = join(import.meta.dir, "../bundle/main.js");
const program = (await import(existsSync(bundle) ? bundle : "./cli/main.ts")) as typeof import("./cli/main.ts");
await program.runProgram();
