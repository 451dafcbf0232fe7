/** The 37 rows of the truth table (platform 2.4), as reads and as listings over the API. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ALL, NOTHING, overrideTools } from "../support/data/sample_overrides.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
}, 120_000);
afterAll(() => runtime.stop());
const { made, permit, tree } = overrideTools(() => runtime);

/** What role A and, after a slash, B hold for page-view; owner; entries of page, chapter, book; whether it is seen. */
const TRUTH = `
  T01 all        no  · · · allow
  T02 none       no  · · · deny
  T03 own        yes · · · allow
  T04 own        no  · · · deny
  T05 all/none   no  · · · allow
  T06 own/none   yes · · · allow
  T07 none       no  A+F- · · allow
  T08 all        no  A-F+ · · deny
  T09 none/none  no  A+B-F- · · allow
  T10 none       no  · A+F- · allow
  T11 all        no  · A-F+ · deny
  T12 none/none  no  · A-B+F- · allow
  T13 none       no  A+ A-F- · allow
  T14 all        no  A- A+F+ · deny
  T15 none/none  no  A- B+F- · allow
  T16 none/none  no  A+ B-F- · allow
  T17 none       no  A+ · · allow
  T18 all        no  A- · · deny
  T19 none       no  · A+ · allow
  T20 all        no  · A- · deny
  T21 own        yes · A- · deny
  T22 all/none   no  B- · · deny
  T23 own/none   yes B- · · deny
  T24 all/none   no  · B- · deny
  T25 none/none  no  A+F- · · allow
  T26 all/all    no  A-F+ · · deny
  T27 none       no  F- A+F- · deny
  T28 none       no  · F- A+F- deny
  T29 all        yes F- · · deny
  T30 none       no  F+ · · allow
  T31 all        no  · · F- deny
  T32 none       no  · A+ F- allow
  T33 none/none  no  · A- B+F- allow
  T34 none/none  no  · A-F+ B+ deny
  T35 none       no  A+ F- F- allow
  T36 admin      no  A-F- · · allow
`;

for (const row of TRUTH.trim().split("\n")) {
  const [name = "", roles = "", owns, ...rest] = row.trim().split(/\s+/);
  const answer = rest.pop();
  test(`${row.trim()}: read and listed alike`, async () => {
    const { id, token, ids } = await holder(name, roles.split("/"));
    const items = await tree(name);
    for (const [place, kind] of (["page", "chapter", "book"] as const).entries()) {
      const body = overridesOf(rest[place] ?? "·", ids);
      expect(
        (await permit(kind, items[kind], { ...body, ...(kind === "page" && owns === "yes" && { owner_id: id }) }))
          .status,
      ).toBe(200);
    }
    const read = await runtime.ask("GET", `/api/pages/${items.page}`, { as: token });
    expect(read.status).toBe(answer === "allow" ? 200 : 404);
    const list = await runtime.ask("GET", `/api/pages?filter[id]=${items.page}`, { as: token });
    expect([list.body.total, list.body.data.length]).toEqual(answer === "allow" ? [1, 1] : [0, 0]);
  });
}

test("T37: overrides of a shelf do not reach its books", async () => {
  const { token, ids } = await holder("T37", ["none"]);
  const { book } = await tree("T37");
  const shelf = await made("shelves", { name: "T37", books: [book] });
  await permit("bookshelf", shelf, overridesOf("A+", ids));
  expect((await runtime.ask("GET", `/api/shelves/${shelf}`, { as: token })).body.books).toEqual([]);
  expect((await runtime.ask("GET", `/api/books/${book}`, { as: token })).status).toBe(404);
  expect((await runtime.ask("GET", `/api/books?filter[id]=${book}`, { as: token })).body.total).toBe(0);
});

/** A user with roles A and perhaps B, which grant to view pages: all, own or none of them. */
async function holder(name: string, grants: readonly string[]) {
  const { id, token, role } = await runtime.person(name, ["access-api"]);
  const ids: number[] = [];
  for (const grant of grants) {
    const permissions = ["all", "own"].includes(grant) ? [`page-view-${grant}`] : [];
    ids.push(grant === "admin" ? 1 : await made("roles", { display_name: `${name} ${grant}`, permissions }));
  }
  await runtime.ask("PUT", `/api/users/${id}`, { body: { roles: [role, ...ids] } });
  return { id, token, ids };
}

function overridesOf(text: string, [A, B]: readonly number[]) {
  const parts = [...text.matchAll(/([ABF])([+-])/g)].map(([, who, sign]) => ({
    who,
    flags: sign === "+" ? ALL : NOTHING,
  }));
  const fallback = parts.find(({ who }) => who === "F");
  return {
    role_permissions: parts
      .filter(({ who }) => who !== "F")
      .map(({ who, flags }) => ({ role_id: who === "A" ? A : B, ...flags })),
    ...(fallback && { fallback_permissions: { inheriting: false, ...fallback.flags } }),
  };
}
