import { expect, test } from "bun:test";
import { SYSTEM, type Viewer } from "../viewer.ts";
import { AnswerEntries } from "./answer_entries.ts";
import { ANSWER_FORMS, type KeptAnswer } from "./answer_forms.ts";
import type { Asked, Known } from "./asked_answer.ts";
import { type AnswerReads, sharedAnswer, sharingOf } from "./shared_answers.ts";

const kept = (value: object): KeptAnswer => ANSWER_FORMS.value(JSON.stringify(value), 0);
const entries = new AnswerEntries(1_000_000);
const reader: Viewer = { ...SYSTEM, id: 7, via: "token", admin: false };

/** Reads over plain entries, of a page whose bytes another reader loads while `meanwhile` happens. */
function readsOf(meanwhile: () => void): AnswerReads {
  return {
    current: (_known, key) => entries.get(key),
    async kept(asked: Asked<object>) {
      const present = entries.get(asked.key);
      const loaded = present ? undefined : await asked.load(() => {});
      if (loaded && asked.isStill?.() !== false) entries.set(asked.key, kept(loaded), []);
      return entries.get(asked.key);
    },
    answer: <A extends object>() => {
      meanwhile();
      return Promise.resolve({ html: "of another reader" } as unknown as A);
    },
    shared: <A extends object>(_asked: Asked<A>, { shared }: KeptAnswer) => shared as A,
    alone: <A extends object>(asked: Asked<A>) => asked.load(() => {}),
  };
}

/** What the reader gets where their sight is as `sees` says, and `meanwhile` happens during the load of the other one. */
async function readDuring(meanwhile: () => void, sees: () => boolean): Promise<unknown> {
  entries.clear();
  const known: Known = { name: "pages", entries, tables: new Set(["pages"]), dependencies: [] };
  const answers = {
    table: "pages" as never,
    facts: async () => ({ owned_by: 1, isSame: true }),
    sees: async () => sees(),
  };
  const sharing = sharingOf(known, answers, [], entries);
  const load = async () => (sees() ? { html: "own" } : undefined);
  return sharedAnswer(readsOf(meanwhile), sharing, { known, key: "own", form: "value", id: 3, load }, reader);
}

test("a reader who loses sight while another one loads does not get the other's answer", async () => {
  expect(
    await readDuring(
      () => {},
      () => true,
    ),
  ).toEqual({ html: "of another reader" });
  let isSeen = true;
  const revoked = () => {
    isSeen = false;
    entries.clear();
  };
  expect(await readDuring(revoked, () => isSeen)).toBeUndefined();
});

test("where rights change again and again, a reader's answer is loaded for them alone", async () => {
  expect(
    await readDuring(
      () => entries.clear(),
      () => true,
    ),
  ).toEqual({ html: "own" });
});
