/**
 * Scenario tables: each row asks once as somebody and says what must come back and which events must have happened. The
 * rows of a file run in order over one runtime; what a row saves, later rows name as `{name}` in paths and bodies. Where
 * `events` is given, nothing else may have happened; where it is absent, a refused request must have performed nothing.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin } from "lectern/core";
import { isEcho } from "./derived_events.ts";
import { bootTestRuntime, type TestRuntime } from "./test_runtime.ts";

/** One row of a table. */
export interface Scenario {
  /** "admin" by default, "guest" for nobody, else one of the stage's people. */
  readonly as?: string;
  /** Method and path, such as "GET /api/books/{book}". */
  readonly ask: string;
  readonly body?: unknown;
  readonly form?: Record<string, string>;
  readonly status: number;
  /** What the body must match, further keys aside. */
  readonly holds?: unknown;
  /** Keys the body must not have. */
  readonly lacks?: readonly string[];
  /** Names of the events performed, in order of their commit. */
  readonly events?: readonly string[];
  /** What to keep: name → dotted place in the body. */
  readonly save?: Readonly<Record<string, string>>;
  /** A last look at the body. */
  readonly check?: (body: unknown, stage: Stage) => void;
}

/** A runtime with people in it. */
export interface Stage {
  readonly runtime: TestRuntime;
  /** Tokens by name; null for nobody. */
  readonly tokens: Record<string, string | null>;
  /** Ids of people by name, and whatever rows saved. */
  readonly saved: Record<string, string | number>;
  readonly events: string[];
}

/** Opens a runtime for a file of tests: people by name with their permissions (beside access-api). */
export function openStage(people: Readonly<Record<string, readonly string[]>>): () => Stage {
  let stage: Stage | undefined;
  beforeAll(async () => {
    const events: string[] = [];
    const witness = definePlugin({
      name: "witness",
      setup: ({ onAny }) => onAny({ inTransaction: ({ name }) => void (isEcho(name) || events.push(name)) }),
    });
    const runtime = await bootTestRuntime({ extra: [witness] });
    stage = { runtime, tokens: { admin: runtime.token, guest: null }, saved: {}, events };
    for (const [name, permissions] of Object.entries(people)) {
      const { id, token } = await runtime.person(name, ["access-api", ...permissions]);
      stage.tokens[name] = token;
      stage.saved[name] = id;
    }
  }, 60_000);
  afterAll(async () => stage?.runtime.stop());
  return () => {
    if (!stage) throw new Error("Cannot ask before the runtime is open");
    return stage;
  };
}

/** Makes a test of one row. */
export function scenario(open: () => Stage, name: string, row: Scenario): void {
  test(name, async () => {
    const stage = open();
    const [method = "GET", path = "/"] = row.ask.split(/ (.*)/s);
    stage.events.length = 0;
    const answer = await stage.runtime.ask(method, String(filled(path, stage.saved)), {
      as: stage.tokens[row.as ?? "admin"] ?? null,
      ...(row.body === undefined ? {} : { body: filled(row.body, stage.saved) }),
      ...(row.form === undefined ? {} : { form: filled(row.form, stage.saved) as Record<string, string> }),
    });
    // The body goes along to be read when the status is another.
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: row.status, body: answer.body });
    // Bun puts matchers into what they are compared with; the copy keeps them out of what is saved.
    if (row.holds !== undefined)
      expect(structuredClone(answer.body)).toMatchObject(filled(row.holds, stage.saved) as object);
    for (const key of row.lacks ?? []) expect(Object.keys(answer.body)).not.toContain(key);
    if (row.events) expect(stage.events).toEqual([...row.events]);
    else if (row.status >= 400) expect(stage.events).toEqual([]);
    for (const [kept, place] of Object.entries(row.save ?? {})) stage.saved[kept] = at(answer.body, place);
    row.check?.(answer.body, stage);
  });
}

/** A text that is one `{name}` becomes the value itself; within longer texts the value is written out. */
function filled(value: unknown, saved: Stage["saved"]): unknown {
  if (typeof value === "string") {
    const whole = /^\{(\w+)\}$/.exec(value)?.[1];
    return whole !== undefined && whole in saved
      ? saved[whole]
      : value.replace(/\{(\w+)\}/g, (text, name: string) => String(saved[name] ?? text));
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, saved));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, saved)]));
}

function at(body: unknown, place: string): string | number {
  return place.split(".").reduce((inner, key) => (inner as Record<string, unknown>)[key], body) as string | number;
}
