/**
 * A fake in-memory server of this API for the loader's tests. It can fail on demand (429, 5xx, a hung connection, a killed
 * client), which the real server cannot. It does not validate content; that is tested against the runtime.
 */

/** A stored item. */
export interface FakeRow {
  id: number;
  name: string;
  slug: string;
  book_id?: number;
  chapter_id?: number | null;
  markdown?: string;
  priority?: number;
  tags?: { name: string; value: string }[];
  books?: number[];
  uploaded_to?: number;
  url?: string;
  /** Bytes of an image or attachment. */
  size?: number;
}

/** Intercepts a request; undefined lets the server answer. */
export type Interfere = (
  request: { method: string; path: string; body: Record<string, unknown>; count: number },
  act: () => Response,
) => Response | undefined;

/** A running server and its data. */
export interface FakeServer {
  readonly url: string;
  readonly token: string;
  readonly rows: Readonly<Record<string, Map<number, FakeRow>>>;
  readonly log: string[];
  interfere: Interfere;
  stop(): Promise<void>;
  /** Rows of a kind in order of their ids. */
  all(kind: keyof Rows): FakeRow[];
  page(name: string): FakeRow | undefined;
}

type Rows = Record<"shelves" | "books" | "chapters" | "pages" | "image-gallery" | "attachments", Map<number, FakeRow>>;

/** Starts a server on a free port. */
export function fakeServer(): FakeServer {
  const rows: Rows = {
    shelves: new Map(),
    books: new Map(),
    chapters: new Map(),
    pages: new Map(),
    "image-gallery": new Map(),
    attachments: new Map(),
  };
  const token = "someid:somesecret";
  let count = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const url = new URL(request.url);
      const body = await bodyOf(request);
      const method = typeof body._method === "string" ? body._method : request.method;
      if (request.headers.get("authorization") !== `Token ${token}`)
        return refuse(401, "No matching API token was found.");
      fake.log.push(`${method} ${url.pathname}`);
      const act = () => answer(rows, method, url, body);
      return fake.interfere({ method, path: url.pathname, body, count: ++count }, act) ?? act();
    },
  });
  const fake: FakeServer = {
    url: `http://127.0.0.1:${server.port}`,
    token,
    rows,
    log: [],
    interfere: () => undefined,
    stop: () => server.stop(true),
    all: (kind) => [...rows[kind].values()],
    page: (name) => [...rows.pages.values()].find((page) => page.name === name),
  };
  return fake;
}

async function bodyOf(request: Request): Promise<Record<string, unknown>> {
  if (request.method === "GET") return {};
  if (!request.headers.get("content-type")?.startsWith("multipart/"))
    return (await request.json()) as Record<string, unknown>;
  const form: [string, unknown][] = [...(await request.formData())];
  return Object.fromEntries(
    form.map(([name, value]) => (value instanceof File ? ["size", value.size] : [name, Number(value) || value])),
  );
}

function answer(rows: Rows, method: string, url: URL, body: Record<string, unknown>): Response {
  const [, , kind, id] = url.pathname.split("/");
  if (kind === "system") return Response.json({ base_url: "https://docs.example.com" });
  if (kind === undefined || !(kind in rows)) return refuse(404, "The route could not be found.");
  const of = kind as keyof Rows;
  if (id === undefined) return method === "POST" ? create(rows, of, body) : list(rows, of, url.searchParams);
  const row = rows[of].get(Number(id));
  if (!row) return refuse(404, "Page not found");
  if (method === "PUT") Object.assign(row, body);
  return present(rows, of, row);
}

function create(rows: Rows, kind: keyof Rows, body: Record<string, unknown>): Response {
  const chapter = rows.chapters.get(Number(body.chapter_id));
  if (kind === "pages" && !chapter && !rows.books.has(Number(body.book_id))) return refuse(404, "Book not found");
  if (kind === "pages" && !body.markdown) {
    return refuse(422, "The given data was invalid.", { markdown: ["The markdown field is required."] });
  }
  const id = Object.values(rows).reduce((most, held) => Math.max(most, ...held.keys()), 0) + 1;
  const row = {
    ...body,
    id,
    slug: `${String(body.name)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")}-${id}`,
  } as FakeRow;
  if (kind === "pages")
    Object.assign(row, { chapter_id: chapter?.id ?? null, book_id: chapter?.book_id ?? row.book_id });
  if (kind === "image-gallery") row.url = `https://docs.example.com/uploads/${id}/${row.name}`;
  rows[kind].set(id, row);
  return present(rows, kind, row);
}

function present(rows: Rows, kind: keyof Rows, row: FakeRow): Response {
  if (kind === "pages") return Response.json({ ...row, html: htmlOf(row.markdown ?? "") });
  if (kind === "shelves") return Response.json({ ...row, books: (row.books ?? []).map((id) => ({ id })) });
  return Response.json({ ...row, ...(kind === "books" ? { contents: contentsOf(rows, row.id) } : {}) });
}

function htmlOf(markdown: string): string {
  return markdown.replace(/^(#+) (.*)$/gm, (_all, marks: string, text: string) => {
    return `<h${marks.length} id="bkmrk-${text.toLowerCase().slice(0, 20)}">${text}</h${marks.length}>`;
  });
}

function contentsOf(rows: Rows, bookId: number): object[] {
  const pages = [...rows.pages.values()].filter(({ book_id }) => book_id === bookId);
  const chapters = [...rows.chapters.values()].filter(({ book_id }) => book_id === bookId);
  return [
    ...chapters.map((chapter) => ({
      ...chapter,
      type: "chapter",
      pages: pages.filter((page) => page.chapter_id === chapter.id),
    })),
    ...pages.filter((page) => page.chapter_id === null).map((page) => ({ ...page, type: "page" })),
  ];
}

function list(rows: Rows, kind: keyof Rows, query: URLSearchParams): Response {
  const found = [...rows[kind].values()].filter((row) =>
    [...query].every(([key, value]) => matchesFilter(row, key, value)),
  );
  if (query.get("sort") === "-id") found.reverse();
  return Response.json({ data: found.slice(0, Number(query.get("count") ?? 100)), total: found.length });
}

function matchesFilter(row: FakeRow, key: string, value: string): boolean {
  const [, field, op = "eq"] = /^filter\[(\w+)(?::(\w+))?\]$/.exec(key) ?? [];
  if (field === undefined) return true;
  const held = row[field as keyof FakeRow];
  return op === "gt" ? Number(held) > Number(value) : String(held) === value;
}

/** An error response as the API has it. */
export function refuse(
  code: number,
  message: string,
  validation?: Record<string, string[]>,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ error: { message, ...(validation ? { validation } : {}), code } }, { status: code, headers });
}
