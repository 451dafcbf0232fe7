/**
 * Reads what `bun test --parallel` prints while it runs. What tests print and their results come over two channels, so that the
 * error of a test stands before or after its line, sometimes below the name of the next file of its process. Hence each error is
 * shown wherever it stands, and each failure with the command that repeats it, both when they happen. Other lines are dropped.
 */

import { relative } from "node:path";

/** What has been read so far. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** A reader of the output of one `bun test`. */
export interface TestOutput {
  readonly counts: Readonly<Counts>;
  /** The files whose process ended while they ran. */
  readonly crashed: ReadonlySet<string>;
  /** The last lines, for a run that fails without a failing test. */
  readonly lastLines: readonly string[];
  push(text: string): void;
  /** Reads what is left; after the process has ended. */
  end(): void;
}

/** What a reader needs. */
export interface TestOutputOptions {
  /** The folder that paths are relative to. */
  readonly root: string;
  /** Shows a failure: lines that end with a line break. */
  show(text: string): void;
  /** The command that runs one test again; `title` is a regular expression, absent for a whole file. */
  repeatOf(path: string, title?: string): string;
}

const HEADER = /^(\S+_test\.ts):$/;
const RESULT = /^\((pass|fail|skip|todo)\) (.*?)(?: \[\d[\d.,]*m?s\])?$/;
const CRASH = /^✗ (\S+_test\.ts) \(worker crashed: .*\)$/;
/** Bun shows an error outside of tests between two such lines. */
const STRAY_ERROR = "# Unhandled error between tests";
const RULE = /^-{10,}$/;
const MAX_LAST_LINES = 60;
/** Longer lines, such as a screen in an error, are cut: the command that repeats the test shows them. */
const MAX_LINE_LENGTH = 1_000;
/** Before the summary, Bun lists the failures of a long run again. */
const FAILURES_AGAIN = /^\d+ tests? failed:$/;
/** How Bun shows an error: lines of the source, its name and message, then where it was thrown. */
const ERROR = /^(?: *\d+ \| |error: |\w*Error: |# Unhandled error)/;
const THROWN_AT = /^ +at /;
const THROWN_IN = /([^\s(]+_test\.ts):\d+:\d+\)?$/;
/** The line after a failed one that says why there is no error, such as a timeout. */
const REASON = /^ {2}\^ /;

/** Creates a reader. */
export function readTestOutput({ root, show, repeatOf }: TestOutputOptions): TestOutput {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const crashes = new Set<string>();
  const lastLines: string[] = [];
  let path = "";
  let isError = false;
  let wasThrownAt = false;
  let strayRules = -1;
  let hasEnded = false;
  let rest = "";

  function fail(name: string, line: string): void {
    counts.failed++;
    show(`${path}\n${line}\n  again: ${repeatOf(path, titlePattern(name))}\n`);
  }

  /** Lines of an error, up to the last that says where it was thrown. */
  function readError(line: string): void {
    const isThrownAt = THROWN_AT.test(line);
    if (!isError || (wasThrownAt && !isThrownAt)) isError = ERROR.test(line);
    wasThrownAt = isThrownAt;
    if (!isError && !REASON.test(line)) return;
    const more = line.length - MAX_LINE_LENGTH;
    show(more > 0 ? `${line.slice(0, MAX_LINE_LENGTH)}… (and ${more} characters)\n` : `${line}\n`);
  }

  /** Errors outside of tests fail the run without a line of a result; where they were thrown says of which file they are. */
  function readStray(line: string): void {
    const [, thrownIn] = THROWN_IN.exec(line) ?? [];
    if (line === STRAY_ERROR) strayRules = 0;
    else if (strayRules === 1 && thrownIn !== undefined) path = relative(root, thrownIn);
    else if (strayRules >= 0 && RULE.test(line) && ++strayRules === 2) {
      strayRules = -1;
      fail("", "(an error outside of tests)");
    }
  }

  function read(line: string): void {
    lastLines.push(line);
    if (lastLines.length > MAX_LAST_LINES) lastLines.shift();
    hasEnded ||= FAILURES_AGAIN.test(line);
    if (hasEnded) return;
    const [, header] = HEADER.exec(line) ?? [];
    const [, crashed] = CRASH.exec(line) ?? [];
    const [, result, name = ""] = RESULT.exec(line) ?? [];
    if (header !== undefined) path = header;
    else if (crashed !== undefined) {
      path = crashed;
      crashes.add(path);
      fail("", line);
    } else if (result === "fail") fail(name, line);
    else if (result === "pass") counts.passed++;
    else if (result !== undefined) counts.skipped++;
    else {
      readError(line);
      readStray(line);
      return;
    }
    isError = false;
  }

  return {
    counts,
    crashed: crashes,
    lastLines,
    push(text) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) read(line);
    },
    end() {
      if (rest !== "") read(rest);
      rest = "";
    },
  };
}

/** What Bun calls a hook that fails. */
const HOOK = /(?:^| > )\(unnamed\)$/;

/**
 * A pattern for `-t`, which matches the titles of groups and test joined by spaces, where the output has " > " between them.
 * Undefined for a hook of a file; that of a group fails with the group's first test.
 */
function titlePattern(name: string): string | undefined {
  const titles = name.replace(HOOK, "");
  if (titles === "") return undefined;
  const pattern = `^${titles.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll(" > ", ".+")}`;
  return titles === name ? `${pattern}$` : pattern;
}
