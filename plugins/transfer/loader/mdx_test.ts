import { expect, test } from "bun:test";
import { readFrontMatter } from "./front_matter.ts";
import { plainMarkdown } from "./mdx.ts";

function mdx(text: string, snippet?: (path: string) => string | undefined): string {
  return plainMarkdown(text, { mdx: true, ...(snippet ? { snippet } : {}) });
}

test("notes become quotes with their blocks", () => {
  expect(mdx("<Note>Mind **this**.</Note>")).toBe("> **Note:** Mind **this**.");
  expect(mdx("<Warning>\n  - one\n  - two\n</Warning>\nAfter")).toBe("> **Warning**\n>\n> - one\n> - two\n\nAfter");
});

test("steps are numbered and their content is outdented", () => {
  const text =
    '<Steps>\n\t<Step title="Get it">\n\t\t```sh terminal\n\t\tget\n\t\t  it\n\t\t```\n\t</Step>\n    <Step title="Run it">\n    \tRun.\n    </Step>\n</Steps>';
  expect(mdx(text)).toBe("**1. Get it**\n\n```sh terminal\nget\n  it\n```\n\n**2. Run it**\n\nRun.");
});

test("code groups keep the names of their tabs, cards become links, fields show name and type", () => {
  expect(mdx('<CodeGroup>\n```sh npm icon="npm"\nnpm i\n```\n```sh bun\nbun i\n```\n</CodeGroup>')).toBe(
    '**npm**\n\n```sh npm icon="npm"\nnpm i\n```\n\n**bun**\n\n```sh bun\nbun i\n```',
  );
  expect(mdx('<Card\n  title="A > B"\n  href="/x"\n>\n  Text\n</Card>')).toBe("**[A > B](/x)**: Text");
  expect(mdx('<ParamField path="--port" type="number" default="3000">\n  Where it listens\n</ParamField>')).toBe(
    "**`--port`** (number, default `3000`)\n\nWhere it listens",
  );
});

test("fenced code and code spans are unchanged", () => {
  const text = 'Use `<Note>` here.\n\n```mdx\nimport A from "a";\n<Note>\n    {/* x */}\n</Note>\n\n\n\nend\n```';
  expect(mdx(text)).toBe(text);
});

test("imports, exports and comments are removed, imported Markdown is inserted", () => {
  const text =
    'import Add from "/snippets/add.mdx";\nexport const x = {\n  a: 1,\n};\n\n# Title {#own}\n\n{/* hidden\n note */}\n<Add />\n\n<Unknown />\nEnd{" "}here';
  expect(mdx(text, (path) => (path === "/snippets/add.mdx" ? "Added <Badge>new</Badge>" : undefined))).toBe(
    "# Title\n\nAdded new\n\nEnd here",
  );
});

test("a snippet that includes itself, at once or by another one, is left out where it would begin again", () => {
  const files: Readonly<Record<string, string>> = {
    "/again.mdx": `import Again from "/again.mdx";\n\nAgain\n\n${"<Again />\n\n".repeat(12)}`,
    "/one.mdx": 'import Two from "/two.mdx";\n\nOne\n\n<Two />',
    "/two.mdx": 'import One from "/one.mdx";\n\nTwo\n\n<One />\n\nEnd of two',
  };
  const page = (path: string) => `import Add from "${path}";\n\nBefore\n\n<Add />\n\nBetween\n\n<Add />\n\nAfter`;
  const blocks = (path: string) => mdx(page(path), (one) => files[one]).split(/\n+/);
  expect(blocks("/again.mdx")).toEqual(["Before", "Again", "Between", "Again", "After"]);
  const both = ["One", "Two", "End of two"];
  expect(blocks("/one.mdx")).toEqual(["Before", ...both, "Between", ...both, "After"]);
});

test("snippets within snippets are inserted three deep", () => {
  const deep = (path: string) => `import Next from "${path}x";\n\n${path}\n\n<Next />`;
  expect(mdx(deep("a"), deep).split(/\n+/)).toEqual(["a", "ax", "axx", "axxx"]);
});

test("a component in a list stays in its item", () => {
  expect(mdx("- item\n\n  <Note>\n    Mind\n  </Note>\n- next")).toBe("- item\n\n  > **Note:** Mind\n\n- next");
});

test("unmatched tags are removed and their text is kept", () => {
  expect(mdx("<Tabs>\nText\n\n</Frame>\nMore <Unknown>kept</Unknown>")).toBe("Text\n\nMore kept");
});

test("in plain Markdown only known components are replaced, and indented code is unchanged", () => {
  expect(plainMarkdown("A List<String> of\n\n    code\n\n<Tip>Yes</Tip>", { mdx: false })).toBe(
    "A List<String> of\n\n    code\n\n\n> **Tip:** Yes",
  );
});

test("invalid front matter never throws", () => {
  expect(readFrontMatter("---\ntitle: [\n---\nText").front.title).toBe("[");
  expect(readFrontMatter("---\n: : {\n---\nText").front.title).toBeUndefined();
  expect(readFrontMatter("---\njust text\n---\nMore").body).toBe("---\njust text\n---\nMore");
  expect(readFrontMatter("---\n---\nText").body).toBe("Text");
  expect(readFrontMatter("---\ntitle: 12\ntags: a, b\nweight: '3'\n---\n").front).toEqual({
    title: "12",
    description: undefined,
    order: 3,
    tags: [
      { name: "a", value: "" },
      { name: "b", value: "" },
    ],
  });
});
