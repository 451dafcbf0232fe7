/**
 * A small instance whose state random steps change, for tests of cached answers: books, chapters, pages that include each other, a
 * shelf, readers with different roles, and the addresses of screens, former ones included. A step is one request, or one statement of a plugin, so that there is no state
 * between two steps.
 */
import { findItem } from "lectern/contracts";
import { type AnyContext, type AnyPlugin, definePlugin, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { TestRuntime } from "./test_runtime.ts";

/** What a step does; its numbers choose among what there is. */
export const STEPS = [
  ...(["rename", "include", "tag", "move", "delete", "restore", "purge", "permit", "inherit", "own"] as const),
  ...(["role", "roles", "person", "leave", "comment", "uncomment", "shelve", "sort", "draft", "statement"] as const),
  ...(["reuse", "reslug", "carry", "attach", "detach"] as const),
] as const;

/** A step, as it is kept in the corpus. */
export interface Step {
  readonly step: (typeof STEPS)[number];
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

/** An item by the path of its read. */
interface Item {
  readonly kind: "page" | "chapter" | "book" | "bookshelf";
  readonly path: string;
  readonly id: number;
}

/** An answer to read: that of an item by its id, the same by the address of its screen within the process, or the screen. */
export interface Read {
  readonly kind: Item["kind"];
  readonly by: "id" | "address" | "screen";
  /** The path of the API or of the screen. */
  readonly path: string;
}

type Address = Pick<Read, "kind" | "path">;

/** A person with a role. */
interface Reader {
  readonly token: string;
  /** The cookie of a session. */
  readonly cookie: string;
  readonly id: number;
  readonly role: number;
  /** Whether the role is that of another reader too: what they see is the same, but for what the other one owns. */
  readonly isTwin?: true;
}

/** An answer as it was sent, without what differs between two requests. */
export type Seen = string;

/** Former addresses that are read, and screens. */
const MAX_FORMER = 4;
const MAX_SCREENS = 5;
const SEGMENTS = { page: "pages", chapter: "chapters", book: "books", bookshelf: "shelves" } as const;
const KINDS = ["page", "chapter", "book", "bookshelf"] as const;
const views = (extent: string) => KINDS.map((kind) => `${kind}-view-${extent}`);
/** The permissions that roles may have. */
const ROLES = [
  ["access-api", ...views("all")],
  ["access-api", ...views("own")],
  ["access-api"],
  ["access-api", "page-view-all", "book-view-own"],
];

/** The first roles of which two readers hold each. */
const TWINS = 2;

/** The people of all worlds of one test. */
export async function readersIn(runtime: TestRuntime): Promise<readonly Reader[]> {
  const run = crypto.randomUUID();
  const signedIn = async (email: string, password: string) => {
    const { headers } = await runtime.ask("POST", "/api/session", { as: null, body: { email, password } });
    return headers.get("set-cookie")?.split(";")[0] ?? "";
  };
  const cookie = await signedIn("admin@example.com", "correct horse battery");
  const people: Reader[] = [{ token: runtime.token, id: 1, role: 1, cookie }];
  for (const [at, permissions] of ROLES.entries()) {
    const person = await runtime.person(`reader-${at}`, permissions);
    const body = { email: `reader-${at}-${run}@example.com`, password: "long enough" };
    const { status } = await runtime.ask("PUT", `/api/users/${person.id}`, { body });
    const cookie = await signedIn(body.email, body.password);
    if (status !== 200 || cookie === "") throw new Error("Cannot make a reader");
    people.push({ ...person, cookie });
    if (at >= TWINS) continue;
    const twin = { name: `twin-${at}`, email: `twin-${at}-${run}@example.com`, password: "long enough" };
    const made = await runtime.ask("POST", "/api/users", { body: { ...twin, roles: [person.role] } });
    const token = await runtime.tokenOf(twin.email);
    people.push({
      id: made.body.id,
      role: person.role,
      token,
      cookie: await signedIn(twin.email, twin.password),
      isTwin: true,
    });
  }
  return people;
}

/** A plugin that finds items by their addresses, as screens do. */
export const finder: AnyPlugin = definePlugin({
  name: "finder",
  requires: ["users"],
  grants: { impersonate: true },
  setup() {},
});

/** An answer of one runtime. */
export async function seen(runtime: TestRuntime, reader: Reader, { kind, by, path }: Read): Promise<Seen> {
  if (by === "address") return foundAt(runtime, reader, kind, path);
  const headers: Record<string, string> =
    by === "screen" ? { cookie: reader.cookie, accept: "text/html" } : { authorization: `Token ${reader.token}` };
  const response = await runtime.runtime.http.handle(new Request(`http://localhost${path}`, { headers }), "127.0.0.1");
  const kept = [...response.headers].filter(([name]) => !/^x-(?:request-id|ratelimit)/.test(name)).sort();
  const answer = `${response.status} ${JSON.stringify(kept)}\n${await response.text()}`;
  return by === "screen" ? answer.replaceAll(/nonce[-=]"?[\w-]+/g, "nonce") : answer;
}

async function foundAt({ contexts }: TestRuntime, { id }: Reader, kind: Item["kind"], path: string): Promise<Seen> {
  const { contracts, slot } = contexts.get(finder.name) as AnyContext;
  const viewer = await contracts.users.viewer(id);
  const [slug = "", holder = ""] = path
    .split("/")
    .slice(2)
    .reverse()
    .filter((_, at) => at !== 1);
  const where = { slug, ...(kind === "page" || kind === "chapter" ? { within: holder } : {}) };
  const found = viewer && (await findItem(slot("item_reader"), kind, viewer, where));
  return JSON.stringify(found) ?? "";
}

/** A world: what its steps change. */
export class CachedWorld {
  readonly readers: readonly Reader[];
  items: readonly Item[] = [];
  /** Addresses of screens, the newest last. */
  #addresses: readonly Address[] = [];
  readonly #run = crypto.randomUUID().slice(0, 8);
  /** A user who can be deleted. */
  #guest = 0;
  #names = 0;

  constructor(readers: readonly Reader[]) {
    this.readers = readers;
  }

  /** The readers whom steps concern: one of each role. */
  get #actors(): readonly Reader[] {
    return this.readers.filter(({ isTwin }, at) => at > 0 && !isTwin);
  }

  /** Makes the items, and gives the readers their first roles. */
  async open(runtime: TestRuntime): Promise<this> {
    const made = async (kind: Item["kind"], body: object): Promise<Item> => {
      const answer = await runtime.ask("POST", `/api/${SEGMENTS[kind]}`, { body });
      if (answer.status !== 200) throw new Error(`Cannot make a ${kind}: ${JSON.stringify(answer.body)}`);
      return { kind, id: answer.body.id, path: `/api/${SEGMENTS[kind]}/${answer.body.id}` };
    };
    for (const [at, reader] of this.readers.entries()) if (at > 0) await this.#setRoles(runtime, reader, [reader.role]);
    for (const [at, { role }] of this.#actors.entries()) await this.#setRole(runtime, role, at);
    const guest = { name: "Guest", email: `guest-${this.#run}@example.com`, roles: [] };
    this.#guest = (await runtime.ask("POST", "/api/users", { body: guest })).body.id;
    const books = [await made("book", { name: "Book" }), await made("book", { name: "Book" })];
    const chapters = await Promise.all(books.map(({ id }) => made("chapter", { book_id: id, name: "Chapter" })));
    const pages: Item[] = [];
    for (const parent of [{ book_id: books[0]?.id }, { chapter_id: chapters[0]?.id }, { book_id: books[1]?.id }]) {
      const html = `<p>Text</p>${pages.map(({ id }) => `<p>{{@${id}}}</p>`).join("")}`;
      pages.push(await made("page", { ...parent, name: "Page", html }));
    }
    const shelf = await made("bookshelf", { name: "Shelf", books: books.map(({ id }) => id) });
    this.items = [...pages, ...chapters, ...books, shelf];
    await this.#learnAddresses(runtime);
    return this;
  }

  /** What readers may read: items, by their present addresses and some of the former ones too, and screens. */
  get reads(): readonly Read[] {
    const items = this.items.map(({ kind, path }): Read => ({ kind, path, by: "id" }));
    const addresses = this.#addresses.map(({ kind, path }): Read => ({ kind, path, by: "address" }));
    const screens = addresses
      .filter(({ kind }) => kind !== "bookshelf")
      .map((read): Read => ({ ...read, by: "screen" }));
    return [...items, ...addresses, ...screens.slice(-MAX_SCREENS)];
  }

  async #learnAddresses({ store }: TestRuntime): Promise<void> {
    const present = await rows<Address>(
      store.db,
      sql`select 'book' as kind, '/books/' || books.slug as path from books where id = any(${this.#idsOf("book")}::integer[])
        union all select 'chapter', '/books/' || books.slug || '/chapter/' || chapters.slug from chapters
          join books on books.id = book_id where chapters.id = any(${this.#idsOf("chapter")}::integer[])
        union all select 'page', '/books/' || books.slug || '/page/' || pages.slug from pages
          join books on books.id = book_id where pages.id = any(${this.#idsOf("page")}::integer[])
        union all select 'bookshelf', '/shelves/' || slug from bookshelves where id = any(${this.#idsOf("bookshelf")}::integer[])`,
    );
    const former = this.#addresses.filter(({ path }) => !present.some((each) => each.path === path));
    this.#addresses = [...former.slice(-MAX_FORMER), ...present];
  }

  #idsOf(kind: Item["kind"]): number[] {
    return this.#of(kind).map(({ id }) => id);
  }

  /** Makes a step on one runtime; one that is refused changes nothing. */
  async take(runtime: TestRuntime, { step, a, b, c }: Step): Promise<void> {
    const item = pick(this.items, a);
    const page = pick(this.#of("page"), a);
    const reader = pick(this.#actors, b);
    const put = (path: string, body: object) => runtime.ask("PUT", path, { body });
    const permissions = `/api/content-permissions/${item.kind}/${item.id}`;
    const name = `Name ${++this.#names}`;
    const view = { view: c % 2 === 0, create: false, update: false, delete: false };
    const makes: Record<Step["step"], () => Promise<unknown>> = {
      rename: () => put(item.path, { name }),
      include: () => put(page.path, { html: `<p>${name} {{@${pick(this.#of("page"), b).id}}}</p>` }),
      tag: () => put(item.path, { tags: [{ name, value: `${b}` }].slice(0, c % 2) }),
      move: () =>
        c % 2 === 0
          ? put(page.path, { book_id: pick(this.#of("book"), b).id })
          : put(page.path, { chapter_id: pick(this.#of("chapter"), b).id }),
      delete: () => runtime.ask("DELETE", item.path),
      restore: async () => put(await this.#deletion(runtime, b), {}),
      purge: async () => runtime.ask("DELETE", await this.#deletion(runtime, b)),
      permit: () =>
        put(permissions, {
          role_permissions: [{ role_id: reader.role, ...view }],
          fallback_permissions: { inheriting: c % 3 > 0, ...view },
        }),
      inherit: () => put(permissions, { role_permissions: [], fallback_permissions: { inheriting: true } }),
      own: () => put(permissions, { owner_id: c % 3 === 0 ? this.#guest : reader.id }),
      role: () => this.#setRole(runtime, reader.role, c),
      roles: () => this.#setRoles(runtime, reader, [pick(this.#actors, c).role]),
      person: () => put(`/api/users/${c % 3 === 0 ? this.#guest : reader.id}`, { name }),
      leave: () => runtime.ask("DELETE", `/api/users/${this.#guest}`),
      comment: () => runtime.ask("POST", "/api/comments", { body: { page_id: page.id, html: `<p>${name}</p>` } }),
      uncomment: () => this.#uncomment(runtime, b),
      shelve: () =>
        put(pick(this.#of("bookshelf"), a).path, {
          books: this.#of("book")
            .slice(b % 3)
            .map(({ id }) => id),
        }),
      sort: () =>
        this.#statement(
          runtime,
          sql`update chapters set priority = ${c}::integer where id = ${pick(this.#of("chapter"), a).id}::integer`,
        ),
      draft: () => this.#statement(runtime, sql`update pages set draft = not draft where id = ${page.id}::integer`),
      statement: () =>
        this.#statement(
          runtime,
          sql`update pages set name = ${name} where book_id = ${pick(this.#of("book"), b).id}::integer`,
        ),
      // Another item gets the address that one had, or may still have.
      reuse: () => put(item.path, { name: `Shared ${this.#run} ${c % 2}` }),
      reslug: () =>
        this.#statement(
          runtime,
          sql`update books set slug = 'slug-' || id || ${`-${this.#names}`} where id = ${pick(this.#of("book"), a).id}::integer`,
        ),
      carry: () => put(pick(this.#of("chapter"), a).path, { book_id: pick(this.#of("book"), b).id }),
      attach: () =>
        runtime.ask("POST", "/api/attachments", {
          body: { name, uploaded_to: page.id, link: "https://example.com/manual" },
        }),
      detach: () => this.#detach(runtime, b),
    };
    await makes[step]();
    await this.#learnAddresses(runtime);
  }

  #of(kind: Item["kind"]): readonly Item[] {
    return this.items.filter((item) => item.kind === kind);
  }

  /** A statement that a plugin sends by itself, outside events and transactions. */
  async #statement(runtime: TestRuntime, statement: ReturnType<typeof sql>): Promise<void> {
    await rows(runtime.store.db, statement);
  }

  async #setRole(runtime: TestRuntime, role: number, at: number): Promise<void> {
    await runtime.ask("PUT", `/api/roles/${role}`, { body: { permissions: pick(ROLES, at) } });
  }

  async #setRoles(runtime: TestRuntime, { id }: Reader, roles: readonly number[]): Promise<void> {
    await runtime.ask("PUT", `/api/users/${id}`, { body: { roles } });
  }

  async #deletion(runtime: TestRuntime, at: number): Promise<string> {
    const { body } = await runtime.ask("GET", "/api/recycle-bin?sort=-id&count=5");
    return `/api/recycle-bin/${pick<{ id: number }>(body.data, at)?.id ?? 0}`;
  }

  async #detach(runtime: TestRuntime, at: number): Promise<void> {
    const { body } = await runtime.ask("GET", "/api/attachments?sort=-id&count=5");
    await runtime.ask("DELETE", `/api/attachments/${pick<{ id: number }>(body.data, at)?.id ?? 0}`);
  }

  async #uncomment(runtime: TestRuntime, at: number): Promise<void> {
    const { body } = await runtime.ask("GET", "/api/comments?sort=-id&count=5");
    await runtime.ask("DELETE", `/api/comments/${pick<{ id: number }>(body.data, at)?.id ?? 0}`);
  }
}

function pick<T>(list: readonly T[], at: number): T {
  return list[at % list.length] as T;
}
