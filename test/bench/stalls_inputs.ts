/**
 * Inputs of one user that could block all the others, for stalls.ts, one row each. A new one is a row with a name that says
 * what is sent, and a function that sends it and resolves to a short description of the answer. What has to exist before (a
 * page to include, say) is made by `prepare`, which is not measured.
 */
import { connect } from "node:net";
import { FILE_INPUTS } from "./stalls_files.ts";
import { type Input, page, type Stage, statuses, times } from "./stalls_stage.ts";

const created = (name: string, content: () => Record<string, unknown>): Input => ({
  name,
  send: (stage) => statuses([page(stage, content())]),
});
const asked = (name: string, n: number, path: string, also?: string): Input => ({
  name,
  send: (stage) => statuses(times(n, () => stage.send("GET", path))),
  ...(also === undefined ? {} : { also }),
});

/** As many characters as asked for of a text repeated. */
const filled = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length);

const ORDINARY = "<p>Call the <strong>DBA</strong> on duty, at any hour.</p>";
/** HTML of 16 KB that is mostly blanks, just short enough for the server's own process. */
const BLANKS = `<p>a${filled(" ", 16_300)}x</p>`;
/** What the markup accepts as the beginning of a PNG. */
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const picture = (bytes: number) => Buffer.concat([Buffer.from(PNG), Buffer.alloc(bytes, 7)]).toString("base64");
const previews = (n: number, content: () => Record<string, unknown>) => (stage: Stage) =>
  statuses(times(n, () => stage.send("POST", "/api/drafts/preview", content())));
const creates = (n: number, content: () => Record<string, unknown>) => (stage: Stage) =>
  statuses(times(n, () => page(stage, content())));
const part = (name: string) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n1\r\n`;
/** A multipart form of so many fields, whose names have so many brackets. */
const deepForm = (fields: number, brackets: number) =>
  `${times(fields, (n) => part(`a${n}${"[1]".repeat(brackets)}`)).join("")}--x--\r\n`;
const signIn = (baseUrl: string, body: string) =>
  fetch(`${baseUrl}/login`, { method: "POST", headers: { "content-type": "multipart/form-data; boundary=x" }, body });
/** Objects of JSON, just few enough for the server's own process. */
const OBJECTS = Object.fromEntries(times(12_000, (n) => [n.toString(36), {}]));
const QUERY = times(3_000, (n) => n.toString(36)).join("&");
/** As many requests at once as the default limit allows a user in a minute. */
const BURST = 180;
let exported = 0;
let included = 0;
let attached = 0;

/** Every row is measured in this order. */
export const INPUTS: readonly Input[] = [
  asked("three phrase searches", 3, '/api/search?query="zzz qqq"'),
  asked("three searches for a common word", 3, "/api/search?query=the"),
  asked("three filter[name:like]=%zzz%", 3, "/api/pages?filter[name:like]=%25zzz%25"),
  asked("three deep offsets", 3, "/api/pages?sort=name&offset=900000"),
  asked("50 phrase searches, another's one search", 50, '/api/search?query="zzz qqq"', "/api/search?query=zzzqqq"),
  created("24 KB of _a_a_a", () => ({ html: `<p>${filled("_a", 24_000)}</p>` })),
  created("1,500 long tags", () => ({
    html: "<p>a</p>",
    tags: times(1_500, (n) => ({ name: `${n}${filled("n", 180)}`, value: filled(`v${n} `, 180) })),
  })),
  created("3 MB of <p>a</p>", () => ({ html: filled("<p>a</p>", 3_000_000) })),
  created("one element with 300,000 attributes", () => ({
    html: `<p ${times(300_000, (n) => `a${n}`).join(" ")}>a</p>`,
  })),
  created("3 MB of Markdown", () => ({ markdown: filled("# A\n\n- *a* [b](c)\n\n", 3_000_000) })),
  created("1 MB of one Chinese heading", () => ({ html: `<h1>${filled("漢字の見出しﷺ", 330_000)}</h1>` })),
  created("20 KB of dashes in Markdown", () => ({ markdown: filled("- a\n -", 20_000) })),
  created("1 MB of ordinary HTML", () => ({
    html: filled(`<p>Call the <strong>DBA</strong> on duty, at any hour.</p>`, 1_000_000),
  })),
  created("10 MB of <p>a</p>", () => ({ html: filled("<p>a</p>", 10_000_000) })),
  created("1 MB of ordinary Markdown", () => ({
    markdown: filled("## Part\n\nCall the **DBA** on duty, at any [hour](/h).\n\n- one\n- two\n\n", 1_000_000),
  })),
  created("500 nested lists in Markdown", () => ({
    markdown: times(500, (depth) => `${"  ".repeat(depth)}- a`).join("\n"),
  })),
  created("8 KB of blanks within a line of Markdown", () => ({ markdown: `a${filled(" ", 8_000)}b` })),
  created("80 KB of openings of emphasis", () => ({ markdown: filled("**a ", 80_000) })),
  {
    name: "ten paths of 15,900 slashes and an x, by a stranger",
    send: ({ baseUrl }) => statuses(times(10, () => fetch(`${baseUrl}/api${filled("/", 15_900)}x`))),
  },
  {
    name: "three sign-in forms of 9,999 fields, 64 deep, by a stranger",
    send: ({ baseUrl }) => statuses(times(3, () => signIn(baseUrl, deepForm(9_999, 63)))),
  },
  {
    name: "three sign-in forms of 10,000 fields, as many names as are allowed, by a stranger",
    send: ({ baseUrl }) => statuses(times(3, () => signIn(baseUrl, deepForm(10_000, 2)))),
  },
  {
    name: "ten paths of 8,100 slashes and an x, by a stranger",
    send: ({ baseUrl }) => statuses(times(10, () => fetch(`${baseUrl}/api${filled("/", 8_100)}x`))),
  },
  {
    name: "60 bodies of 12,000 objects at once",
    send: (stage) => statuses(times(60, () => stage.send("POST", "/api/books", OBJECTS))),
  },
  {
    name: "60 bodies of 12,000 objects at once, by a stranger",
    send: ({ baseUrl }) => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify(OBJECTS);
      return statuses(times(60, () => fetch(`${baseUrl}/login`, { method: "POST", headers, body })));
    },
  },
  asked("a burst of lists of 500 pages", BURST, "/api/pages?count=500"),
  asked("a burst of queries of 3,000 fields", BURST, `/api/books?${QUERY}`),
  {
    name: "a burst of queries of 3,000 fields, by a stranger",
    send: ({ baseUrl }) => statuses(times(BURST, () => fetch(`${baseUrl}/login?${QUERY}`))),
  },
  asked("a burst of requests of the OpenAPI document", BURST, "/api/openapi.json"),
  {
    name: "an attachment of 30 MB, read three times as base64",
    async prepare(stage) {
      const { id } = JSON.parse((await page(stage, { html: "<p>a</p>" })).body);
      const form = new FormData();
      form.set("name", "Large");
      form.set("uploaded_to", String(id));
      form.set("file", new File([new Uint8Array(30_000_000)], "large.bin"));
      const headers = { authorization: `Token ${stage.token}` };
      const made = await fetch(`${stage.baseUrl}/api/attachments`, { method: "POST", headers, body: form });
      attached = ((await made.json()) as { id: number }).id;
    },
    send: (stage) => statuses(times(3, () => stage.send("GET", `/api/attachments/${attached}`))),
  },
  {
    name: "a shelf of 90,000 books",
    send: (stage) => statuses([stage.send("POST", "/api/shelves", { name: "Stalls", books: times(90_000, (n) => n) })]),
  },
  {
    name: "the order of 30,000 pages",
    send: (stage) => {
      const items = times(30_000, (id) => ({ type: "page", id }));
      return statuses([stage.send("PUT", `/api/books/${stage.book}/order`, { items })]);
    },
  },
  created("16,300 spaces in a paragraph", () => ({ html: BLANKS })),
  created("8 KB of http:// in Markdown", () => ({ markdown: filled("http://", 8_000) })),
  created("8 KB of = before an @e in Markdown", () => ({ markdown: `${filled("=", 8_000)}@e` })),
  created("8 KB of =@e in Markdown", () => ({ markdown: filled("=@e", 8_000) })),
  created("one word of 4 MB", () => ({ html: `<p>${filled("x", 4_000_000)}</p>` })),
  created("one word of 4 MB in Markdown", () => ({ markdown: filled("x", 4_000_000) })),
  created("a data: picture of 20 MB", () => ({ html: `<img src="data:image/png;base64,${picture(15_000_000)}">` })),
  created("a data: picture of 20 MB in Markdown", () => ({
    markdown: `![a](data:image/png;base64,${picture(15_000_000)})`,
  })),
  { name: "60 previews of 16,300 spaces at once", send: previews(60, () => ({ html: BLANKS })) },
  { name: "60 previews of 16 KB at once", send: previews(60, () => ({ html: filled(ORDINARY, 16_000) })) },
  {
    name: "60 previews of 8 KB of Markdown at once",
    send: previews(60, () => ({ markdown: filled("a *b* c\n\n", 8_000) })),
  },
  { name: "64 pages of 3 KB created at once", send: creates(64, () => ({ html: filled(ORDINARY, 3_000) })) },
  { name: "64 pages of 100 KB created at once", send: creates(64, () => ({ html: filled(ORDINARY, 100_000) })) },
  { name: "60 previews of 1 MB at once", send: previews(60, () => ({ html: filled(ORDINARY, 1_000_000) })) },
  created("a JSON body of 70 MB", () => ({ html: "<p>a</p>", filler: filled("x", 70_000_000) })),
  created("a JSON body of 19 MB", () => ({ html: "<p>a</p>", filler: filled("ż ", 19_000_000 / 1.5) })),
  created("a JSON body of 90,000 values", () => ({
    html: "<p>a</p>",
    tags: times(30_000, (n) => ({ name: `${n}`, value: "v" })),
  })),
  {
    name: "a preview of 1 MB",
    send: (stage) => statuses([stage.send("POST", "/api/drafts/preview", { html: filled(ORDINARY, 1_000_000) })]),
  },
  ...["pdf", "html", "markdown", "plaintext", "zip"].map(
    (format): Input => ({
      name: `a ${format} export of 1 MB`,
      async prepare(stage) {
        exported = JSON.parse((await page(stage, { html: filled(ORDINARY, 1_000_000) })).body).id;
      },
      send: (stage) => statuses([stage.send("GET", `/api/pages/${exported}/export/${format}`)]),
    }),
  ),
  {
    name: "a comment of 60 KB of <p>a</p>, and the page with 50 of them",
    async send(stage) {
      const { id } = JSON.parse((await page(stage, { html: "<p>a</p>" })).body);
      const html = filled("<p>a</p>", 60_000);
      const made = times(50, () => stage.send("POST", "/api/comments", { page_id: id, html }));
      return `${await statuses(made)}; read ${await statuses([stage.send("GET", `/api/pages/${id}`)])}`;
    },
  },
  {
    name: "a page of 1,000 includes of 40 KB, read three times",
    async prepare(stage) {
      const source = JSON.parse((await page(stage, { html: filled("<p>included</p>", 40_000) })).body);
      const html = times(1_000, () => `<p>{{@${source.id}}}</p>`).join("");
      included = JSON.parse((await page(stage, { html })).body).id;
    },
    send: (stage) => statuses(times(3, () => stage.send("GET", `/api/pages/${included}`))),
  },
  {
    name: "300 half-sent POSTs, held for 5 s",
    async send({ baseUrl, token }) {
      const { hostname, port } = new URL(baseUrl);
      const sockets = times(300, () => connect(Number(port), hostname));
      let ended = 0;
      for (const socket of sockets) {
        socket.on("error", () => {});
        socket.once("end", () => {
          ended += 1;
        });
        socket.resume();
        socket.write(
          `POST /api/books HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Token ${token}\r\n` +
            'content-type: application/json\r\ncontent-length: 100000\r\n\r\n{"name": "',
        );
      }
      await Bun.sleep(5_000);
      const found = ended;
      for (const socket of sockets) socket.destroy();
      return `${found} ended by the server`;
    },
  },
  ...FILE_INPUTS,
];
