/**
 * Scenario tables: each row sends one request as somebody and says what the answer must hold and which events must have happened.
 * A row that needs what other requests made is a scenario of several steps, which is one test. Every test runs alone and in
 * any order: it may read the stage's samples, and changes only what its own steps have made. What a step saves, later steps
 * name as `{name}` in paths and bodies. Where `events` is given, nothing else may have happened; where it is absent, a
 * refused request must have performed nothing.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin } from "lectern/core";
import { isDerivedEvent } from "./derived_events.ts";
import { bootTestRuntime, type TestRuntime } from "./test_runtime.ts";

/** One request and its expected answer: a row of a table, or a step of a scenario. */
export interface Step {
  /** What a step of several shows; failures name it. */
  readonly name?: string;
  /** "admin" by default, "guest" for nobody, else one of the stage's people. */
  readonly as?: string;
  /** Method and path, such as "GET /api/books/{book}". */
  readonly request: string;
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
  readonly check?: (body: unknown, stage: Stage) => unknown;
}

/** A runtime with people in it. */
export interface Stage {
  readonly runtime: TestRuntime;
  /** Tokens by name; null for nobody. */
  readonly tokens: Record<string, string | null>;
  /** Ids of people and samples by name, and within a scenario what its steps have saved. */
  readonly saved: Record<string, string | number>;
  readonly events: string[];
}

/**
 * Opens a runtime for a file of tests: people by name with their permissions (beside access-api), and samples that every test
 * may read and none may change.
 */
export function openStage(
  people: Readonly<Record<string, readonly string[]>>,
  samples: readonly Step[] = [],
): () => Stage {
  let stage: Stage | undefined;
  beforeAll(async () => {
    const events: string[] = [];
    const recorder = definePlugin({
      name: "witness",
      setup: ({ on }) => on.any({ inTransaction: ({ name }) => void (isDerivedEvent(name) || events.push(name)) }),
    });
    const runtime = await bootTestRuntime({ extra: [recorder] });
    stage = { runtime, tokens: { admin: runtime.token, guest: null }, saved: {}, events };
    for (const [name, permissions] of Object.entries(people)) {
      const { id, token } = await runtime.person(name, ["access-api", ...permissions]);
      stage.tokens[name] = token;
      stage.saved[name] = id;
    }
    await runSteps(stage, samples);
  }, 120_000);
  afterAll(async () => stage?.runtime.stop());
  return () => {
    if (!stage) throw new Error("Cannot send a request before the runtime is open");
    return stage;
  };
}

/** A step that creates something and saves its id under a name. */
export function create(name: string, path: string, body: object, as = "admin"): Step {
  return { name: `create "${name}"`, as, request: `POST ${path}`, body, status: 200, save: { [name]: "id" } };
}

/** Makes a test of one request, or of several in their order. */
export function scenario(open: () => Stage, title: string, steps: Step | readonly Step[]): void {
  test(title, async () => {
    const stage = open();
    await runSteps({ ...stage, saved: { ...stage.saved } }, "request" in steps ? [steps] : steps);
  });
}

async function runSteps(stage: Stage, steps: readonly Step[]): Promise<void> {
  for (const [place, step] of steps.entries()) {
    try {
      await runStep(stage, step);
    } catch (error) {
      if (error instanceof Error && steps.length > 1)
        error.message = `Step ${place + 1}, ${step.name ?? ""} (${step.as ?? "admin"}: ${step.request})\n${error.message}`;
      throw error;
    }
  }
}

async function runStep(stage: Stage, step: Step): Promise<void> {
  const [method = "GET", path = "/"] = step.request.split(/ (.*)/s);
  stage.events.length = 0;
  const answer = await stage.runtime.ask(method, String(filled(path, stage.saved)), {
    as: stage.tokens[step.as ?? "admin"] ?? null,
    ...(step.body === undefined ? {} : { body: filled(step.body, stage.saved) }),
    ...(step.form === undefined ? {} : { form: filled(step.form, stage.saved) as Record<string, string> }),
  });
  // The body goes along to be read when the status is another.
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: step.status, body: answer.body });
  // Bun puts matchers into what they are compared with; the copy keeps them out of what is saved.
  if (step.holds !== undefined)
    expect(structuredClone(answer.body)).toMatchObject(filled(step.holds, stage.saved) as object);
  for (const key of step.lacks ?? []) expect(Object.keys(answer.body)).not.toContain(key);
  if (step.events) expect(stage.events).toEqual([...step.events]);
  else if (step.status >= 400) expect(stage.events).toEqual([]);
  for (const [name, place] of Object.entries(step.save ?? {})) stage.saved[name] = at(answer.body, place);
  await step.check?.(answer.body, stage);
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
