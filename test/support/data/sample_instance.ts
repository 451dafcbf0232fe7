/**
 * A small instance with one of everything, made over the API, and a snapshot of an instance as its API shows it, with names in
 * place of ids and one word in place of its address, so that two can be compared.
 */
import type { Program as Running } from "../harness/program.ts";
import { picture } from "./sample_pictures.ts";

/** A server to send requests to. */
export type Program = Pick<Running, "port" | "authorization" | "ask">;

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Answer = any;

/** Sends a form, as clients send files. Throws where the answer is no success. */
async function sendForm(to: Program, path: string, fields: Record<string, string | File>): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const url = `http://127.0.0.1:${to.port}${path}`;
  const response = await fetch(url, { method: "POST", headers: { authorization: to.authorization }, body: form });
  const body: Answer = await response.json();
  if (!response.ok) throw new Error(`POST ${path} answers ${response.status}: ${JSON.stringify(body)}`);
  return body;
}

/** Sends JSON. Throws where the answer is no success. */
export async function send(to: Program, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await to.ask(method, path, body);
  if (answer.status >= 300)
    throw new Error(`${method} ${path} answers ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Ids of a filled instance that tests use. */
export interface Filled {
  readonly failover: number;
  readonly secret: number;
  readonly gone: number;
  readonly books: { readonly runbooks: number; readonly taken: number };
}

/** Fills an instance whose address is `url`. */
export async function fill(to: Program, url: string): Promise<Filled> {
  const people = await fillPeople(to);
  const png = new File([await picture("png", { width: 60, height: 40 })], "Rack front.png");
  const runbooks = await sendForm(to, "/api/books", {
    name: "Runbooks",
    description_html: `<p>How we <strong>operate</strong>, see <a href="${url}/shelves/operations">all</a></p>`,
    image: png,
  });
  await send(to, "PUT", `/api/books/${runbooks.id}`, { tags: [{ name: "area", value: "ops" }, { name: "plain" }] });
  const taken = await send(to, "POST", "/api/books", { name: "Taken", description: "A & B\nin two lines" });
  const chapter = await send(to, "POST", "/api/chapters", {
    book_id: runbooks.id,
    name: "Databases",
    priority: 7,
    description: "All of them",
    tags: [{ name: "db", value: "pg" }],
  });
  // Deleted before anything else is created, so that ids differ between the two instances.
  const gone = await send(to, "POST", "/api/pages", { book_id: runbooks.id, name: "Gone", html: "<p>gone</p>" });
  const first = await send(to, "POST", "/api/pages", { chapter_id: chapter.id, name: "Failover", html: "<p>soon</p>" });
  const shelf = await sendForm(to, "/api/shelves", { name: "Operations", description: "Everything", image: png });
  await send(to, "PUT", `/api/shelves/${shelf.id}`, { books: [taken.id, runbooks.id] });
  const secret = await send(to, "POST", "/api/pages", { book_id: runbooks.id, name: "Secret", html: "<p>xyzzy</p>" });
  await send(to, "PUT", `/api/content-permissions/page/${secret.id}`, {
    role_permissions: [{ role_id: people.role, view: true, create: false, update: true, delete: false }],
    fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
  });
  await send(to, "PUT", `/api/content-permissions/chapter/${chapter.id}`, { owner_id: people.user });
  const file = await sendForm(to, "/api/attachments", {
    name: "Topology",
    uploaded_to: String(first.id),
    file: new File(["all that is connected"], "map.TXT"),
  });
  await send(to, "POST", "/api/attachments", { name: "Link", uploaded_to: first.id, link: `${url}/books/taken` });
  const images = "/api/image-gallery";
  // Its page is removed for good, and another page still shows it.
  const lost = await sendForm(to, images, {
    type: "gallery",
    uploaded_to: String(gone.id),
    image: new File([await picture("png", { red: 7 })], "lost.png"),
  });
  await to.ask("DELETE", `/api/pages/${gone.id}`);
  const rack = await sendForm(to, images, { type: "gallery", uploaded_to: String(first.id), image: png });
  const plan = await sendForm(to, images, { type: "drawio", uploaded_to: String(first.id), image: png, name: "Plan" });
  const dot = Buffer.from(await picture("png")).toString("base64");
  await send(to, "POST", "/api/pages", {
    book_id: taken.id,
    name: "Before the others",
    priority: 3,
    markdown: `# Look\n\n[over](${url}/books/runbooks/page/failover#bkmrk-look) and ![dot](data:image/png;base64,${dot})`,
  });
  await send(to, "PUT", `/api/pages/${first.id}`, {
    tags: [{ name: "state", value: "good" }],
    html: `<h2 id="bkmrk-look">Look</h2><p>Call <a href="${url}/books/taken/page/before-the-others?x=1&amp;y=2#bkmrk-look">first</a>,
      <a href="/link/${secret.id}">then</a>, <a href="${url}/attachments/${file.id}">the map</a>, ${url}/books/runbooks.</p>
      <p><a href="${rack.url}"><img src="${rack.thumbs.display}" alt="rack"></a> <img src="${rack.thumbs.gallery}"></p>
      <div drawio-diagram="${plan.id}"><img src="${plan.url}"></div><p>{{@${secret.id}}}</p><p><img src="${lost.url}"></p>
      <p><a href="${url}/books/runbooks/page/gone">nothing</a> <a href="https://elsewhere.test/books/taken">far</a></p>`,
  });
  await fillComments(to, first.id, url);
  return { failover: first.id, secret: secret.id, gone: gone.id, books: { runbooks: runbooks.id, taken: taken.id } };
}

async function fillPeople(to: Program): Promise<{ role: number; user: number }> {
  const permissions = ["access-api", "book-view-all", "chapter-view-all", "page-view-all", "comment-create-all"];
  const role = await send(to, "POST", "/api/roles", { display_name: "Night shift", description: "Awake", permissions });
  const roles = (await send(to, "GET", "/api/roles?count=100")).data;
  const viewer = roles.find((one: Answer) => one.display_name === "Viewer");
  await send(to, "PUT", `/api/roles/${viewer.id}`, { permissions: ["access-api", "book-view-all", "page-view-all"] });
  const user = await send(to, "POST", "/api/users", {
    name: "Ada Night",
    email: "ada@example.com",
    external_auth_id: "ldap-7",
    roles: [role.id],
  });
  await send(to, "POST", "/api/users", { name: "Bo", email: "bo@example.com", roles: [viewer.id] });
  return { role: role.id, user: user.id };
}

async function fillComments(to: Program, page: number, url: string): Promise<void> {
  const comment = (html: string, more: object = {}) =>
    send(to, "POST", "/api/comments", { page_id: page, html, ...more });
  const first = await comment(`<p>See <a href="${url}/books/taken">this</a></p>`, {
    content_ref: "bkmrk-look:123:0-4",
  });
  const lost = await comment("<p>goes away</p>");
  await comment("<p>reply</p>", { reply_to: first.local_id });
  const nested = await comment("<p>reply to a reply</p>", { reply_to: 3 });
  await comment("<p>deeper</p>", { reply_to: nested.local_id });
  const old = await comment("<p>done with</p>");
  const markdown = `**Indeed**, see ${url}/books/taken`;
  await send(to, "POST", "/api/comments", { page_id: page, markdown, quote: "Look", reply_to: old.local_id });
  await send(to, "PUT", `/api/comments/${old.id}`, { archived: true });
  await to.ask("DELETE", `/api/comments/${lost.id}`);
}

/** Kinds of content by segment, with the word of content permissions for them. */
const KINDS = { shelves: "bookshelf", books: "book", chapters: "chapter", pages: "page" } as const;

/** All of a listing. */
export async function listed(of: Program, segment: string): Promise<Answer[]> {
  return (await send(of, "GET", `/api/${segment}?count=500&sort=id`)).data;
}

/**
 * Everything an instance shows to its administrator, by name. Left out is what differs in any case: ids, ids of users
 * that are matched, and `address` instead of the instance's own.
 */
export async function snapshot(of: Program, address: string): Promise<Record<string, Answer>> {
  const names = new Map<string, string>();
  for (const segment of [...Object.keys(KINDS), "attachments", "image-gallery", "users", "roles"])
    for (const row of await listed(of, segment)) names.set(`${segment} ${row.id}`, row.name ?? row.display_name);
  const shown: Record<string, Answer> = {};
  for (const [segment, kind] of Object.entries(KINDS))
    for (const { id } of await listed(of, segment)) {
      const item = await send(of, "GET", `/api/${segment}/${id}`);
      const permissions = await send(of, "GET", `/api/content-permissions/${kind}/${id}`);
      shown[`${kind} ${item.name}`] = plain({ ...item, permissions }, names, address);
    }
  for (const segment of ["attachments", "image-gallery", "users", "roles"])
    for (const { id } of await listed(of, segment)) {
      const item = await send(of, "GET", `/api/${segment}/${id}`);
      shown[`${segment} ${names.get(`${segment} ${id}`)}`] = plain(item, names, address);
    }
  return shown;
}

/** Fields that are ids of other items, and the listing of these. */
const REFERENCES: Readonly<Record<string, string>> = {
  book_id: "books",
  chapter_id: "chapters",
  uploaded_to: "pages",
  commentable_id: "pages",
  role_id: "roles",
  created_by: "users",
  updated_by: "users",
  owned_by: "users",
};
/** Numbers, and when somebody was last active. */
const LEFT_OUT = new Set(["id", "last_activity_at"]);

function plain(value: Answer, names: ReadonlyMap<string, string>, address: string): Answer {
  if (typeof value === "string")
    return value
      .replaceAll(address, "ADDRESS")
      .replace(/\{\{@(\d+)/g, (_, id) => `{{@${names.get(`pages ${id}`)}`)
      .replace(/\/link\/(\d+)/g, (_, id) => `/link/${names.get(`pages ${id}`)}`)
      .replace(/ADDRESS\/attachments\/(\d+)/g, (_, id) => `ADDRESS/attachments/${names.get(`attachments ${id}`)}`)
      .replace(/drawio-diagram="(\d+)/g, (_, id) => `drawio-diagram="${names.get(`image-gallery ${id}`)}`);
  if (Array.isArray(value)) return value.map((one) => plain(one, names, address));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, one]): [string, Answer][] => {
    if (LEFT_OUT.has(key)) return [];
    const listing = REFERENCES[key];
    if (key === "uploaded_to" && String((value as Answer).type).startsWith("cover")) return [];
    return [[key, listing && typeof one === "number" ? names.get(`${listing} ${one}`) : plain(one, names, address)]];
  });
  return Object.fromEntries(entries);
}
