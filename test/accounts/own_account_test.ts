/** What users do with their own accounts beside name and password: time zone, picture, another address, leaving. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import sharp from "sharp";
import { fetched } from "../support/data/sample_gallery.ts";
import { moving, picture } from "../support/data/sample_pictures.ts";
import { type FakeSmtp, fakeSmtp } from "../support/fakes/smtp.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let smtp: FakeSmtp;
let runtime: TestRuntime;
beforeAll(async () => {
  smtp = fakeSmtp();
  runtime = await bootTestRuntime({
    env: {
      ...{ MAIL_HOST: "127.0.0.1", MAIL_PORT: String(smtp.port), MAIL_FROM: "wiki@example.com" },
      APP_NAME: "Handbook",
    },
  });
});
afterAll(async () => {
  await runtime.stop();
  smtp.stop();
});
beforeEach(() => runtime.runtime.jobs.drain());

const PASSWORD = "the present one";

async function person(name: string, permissions: readonly string[] = []) {
  const { id, token } = await runtime.person(name, ["access-api", ...permissions]);
  const { body } = await runtime.ask("PUT", `/api/users/${id}`, { body: { password: PASSWORD } });
  return { id, token, email: body.email as string, slug: body.slug as string };
}
const me = async (as: string) => (await runtime.ask("GET", "/api/users/me", { as })).body;
const wish = (as: string, body: unknown) => runtime.ask("POST", "/api/users/me/email", { as, body });
const confirm = (as: string | null, token: string) => runtime.ask("POST", `/api/users/me/email/${token}`, { as });

/** The last message, its soft line breaks joined. */
function lastMessage() {
  const { to, text } = smtp.messages.at(-1) ?? { to: [], text: "" };
  const joined = text.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  return { to, text: joined, token: /\/my-account\/email\/([A-Za-z0-9]{24})/.exec(joined)?.[1] ?? "" };
}

test("a time zone that exists is kept, and another is refused", async () => {
  const { token } = await person("Zoe");
  const choose = (time_zone: string) => runtime.ask("PUT", "/api/users/me", { as: token, body: { time_zone } });
  expect((await me(token)).time_zone).toBe("");
  expect((await choose("America/Argentina/Buenos_Aires")).body.time_zone).toBe("America/Argentina/Buenos_Aires");
  for (const wrong of ["Mars/Olympus", "<script>", "+99:00", "x".repeat(61)])
    expect([wrong, Object.keys((await choose(wrong)).body.error.validation)]).toEqual([wrong, ["time_zone"]]);
  expect((await choose("")).body.time_zone).toBe("");
});

test("another address counts once its owner, signed in, has opened the link, and the former one is told", async () => {
  const { token, email, id } = await person("Ann");
  await runtime.ask("PUT", "/api/users/me", { as: token, body: { language: "de" } });
  const other = (await person("Eve")).token;
  const before = smtp.messages.length;
  const sent = await wish(token, { email: "ann@example.org", current_password: PASSWORD });
  expect(sent.status).toBe(202);
  await runtime.runtime.jobs.drain();
  expect(smtp.messages.length).toBe(before + 1);
  const { to, text, token: link } = lastMessage();
  expect([to, text.includes("Handbook"), text.includes("Guten Tag Ann,")]).toEqual([["ann@example.org"], true, true]);
  expect(await me(token)).toMatchObject({ email, new_email: "ann@example.org" });
  const [row] = await runtime.store.sql`select hash from user_email_changes where user_id = ${id}`;
  expect(row?.hash).toMatch(/^[0-9a-f]{64}$/);
  // Neither a stranger nor another user confirms it by the link.
  expect([(await confirm(null, link)).status, (await confirm(other, link)).status]).toEqual([401, 404]);
  expect((await me(token)).email).toBe(email);
  expect((await confirm(token, link)).body).toMatchObject({ email: "ann@example.org", new_email: null });
  expect((await confirm(token, link)).status).toBe(404);
  await runtime.runtime.jobs.drain();
  expect(lastMessage().to).toEqual([email]);
  expect(lastMessage().text).toContain("ann@example.org");
  const [logged] = await runtime.store.sql`select count(*)::int as n from activities
    where type = 'user_update' and user_id = ${id} and detail like ${`(${id})%`}`;
  expect(logged?.n).toBeGreaterThan(0);
});

test("a request for an address asks for the password and does not say whether another account has it", async () => {
  const { token } = await person("Ben");
  const taken = (await person("Tom")).email;
  const wrong = await wish(token, { email: "ben@example.org", current_password: "a guess" });
  expect(wrong.body.error.validation).toEqual({ current_password: ["The current password is not right."] });
  expect((await wish(token, { email: "no address", current_password: PASSWORD })).status).toBe(422);
  const before = smtp.messages.length;
  const answers = [];
  for (const email of ["ben@example.org", taken, taken.toUpperCase()]) {
    answers.push((await wish(token, { email, current_password: PASSWORD })).body);
    expect((await me(token)).new_email).toBe(email);
    await runtime.runtime.jobs.drain();
  }
  expect(answers).toEqual([answers[0], answers[0], answers[0]]);
  expect(smtp.messages.length).toBe(before + 1);
  const statuses = [];
  for (let at = 0; at < 4; at++)
    statuses.push((await wish(token, { email: `b${at}@example.org`, current_password: PASSWORD })).status);
  expect(statuses).toContain(429);
});

test("a link ends with its time, another wish, a new password, and when it is withdrawn", async () => {
  const ended = async (name: string, end: (who: { id: number; token: string }) => Promise<unknown>) => {
    const who = await person(name);
    await wish(who.token, { email: `${name}@example.org`, current_password: PASSWORD });
    await runtime.runtime.jobs.drain();
    const { token: link } = lastMessage();
    await end(who);
    return [link.length, (await confirm(who.token, link)).status, (await me(who.token)).email.endsWith("example.org")];
  };
  const { sql } = runtime.store;
  const gone = [24, 404, false];
  expect(
    await ended("l1", ({ id }) => sql`update user_email_changes set expires_at = now() where user_id = ${id}`),
  ).toEqual(gone);
  expect(
    await ended("l2", ({ token }) => wish(token, { email: "l2b@example.org", current_password: PASSWORD })),
  ).toEqual(gone);
  expect(
    await ended("l3", ({ id }) => runtime.ask("PUT", `/api/users/${id}`, { body: { password: "another one" } })),
  ).toEqual(gone);
  expect(await ended("l4", ({ token }) => runtime.ask("DELETE", "/api/users/me/email", { as: token }))).toEqual(gone);
  // Somebody else has got the address meanwhile.
  const { token } = await person("l5");
  await wish(token, { email: "l5@example.org", current_password: PASSWORD });
  await runtime.runtime.jobs.drain();
  const { token: link } = lastMessage();
  await runtime.ask("POST", "/api/users", { body: { name: "First", email: "L5@example.org" } });
  expect((await confirm(token, link)).body.error.validation).toHaveProperty("email");
});

test("a picture is cut, encoded anew without what else its file said, served for good, and goes with its user", async () => {
  const { id, token, slug } = await person("Pia");
  const placed = await sharp(await picture("jpeg", { width: 600, height: 300 }))
    .withExif({ IFD3: { GPSLatitude: "48/1 8/1 0/1", GPSLatitudeRef: "N" } })
    .jpeg()
    .toBuffer();
  const put = (content: Uint8Array, name: string) => {
    const parts = new FormData();
    parts.append("_method", "PUT");
    parts.append("image", new File([new Uint8Array(content)], name));
    return runtime.ask("POST", "/api/users/me", { as: token, parts });
  };
  const none = (await me(token)).avatar_url;
  expect(none).toBe("http://localhost/user_avatar.png");
  const first = await put(placed, "../../me <b>.jpg");
  expect([first.status, first.body.avatar_url]).toEqual([
    200,
    expect.stringMatching(/^http:\/\/localhost\/uploads\/images\/user\/\d{4}-\d\d\/[a-z0-9]{24}\.jpeg$/),
  ]);
  const { response: served, bytes } = await fetched(runtime, first.body.avatar_url);
  const { width, height, exif } = await sharp(bytes).metadata();
  expect([width, height, exif]).toEqual([256, 256, undefined]);
  expect(served.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(served.headers.get("content-security-policy")).toContain("sandbox");
  const shown = await Promise.all([
    runtime.ask("GET", `/api/users/${id}`),
    runtime.ask("GET", `/api/people/${slug}`, { as: token }),
    runtime.ask("GET", `/api/users?filter[id]=${id}`).then(({ body }) => ({ body: body.data[0] })),
  ]);
  expect(shown.map(({ body }) => body.avatar_url)).toEqual(Array(3).fill(first.body.avatar_url));
  expect((await runtime.ask("GET", "/api/image-gallery")).body.total).toBe(0);
  for (const [content, name] of [
    [new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg'/>"), "a.svg"],
    [new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg'/>"), "a.png"],
    [placed.subarray(0, 300), "a.jpg"],
  ] as const)
    expect([name, (await put(content, name)).status, (await me(token)).avatar_url]).toEqual([
      ...[name, 422, first.body.avatar_url],
    ]);
  const second = await put(await moving("gif"), "moving.gif");
  expect(second.body.avatar_url).not.toBe(first.body.avatar_url);
  expect((await fetched(runtime, first.body.avatar_url)).response.status).toBe(404);
  expect((await runtime.ask("DELETE", `/api/users/${id}/picture`, { as: token })).status).toBe(403);
  expect((await runtime.ask("DELETE", `/api/users/${id}/picture`)).status).toBe(204);
  expect((await me(token)).avatar_url).toBe(none);
  await put(await picture("webp"), "last.webp");
  await runtime.ask("DELETE", `/api/users/${id}`);
  const left = await runtime.store.sql`select 1 from images where type = 'user'`;
  expect(left).toHaveLength(0);
});

test("whoever leaves gives the password, and the content goes to an heir or to nobody", async () => {
  const leave = (as: string, body: unknown) => runtime.ask("DELETE", "/api/users/me", { as, body });
  const { body: role } = await runtime.ask("POST", "/api/roles", {
    body: { display_name: "Authors", permissions: ["access-api", "book-create-all", "book-view-all"] },
  });
  const author = async (name: string) => {
    const made = await person(name);
    await runtime.ask("PUT", `/api/users/${made.id}`, { body: { roles: [role.id] } });
    const { body: book } = await runtime.ask("POST", "/api/books", { as: made.token, body: { name } });
    return { ...made, book: book.id as number };
  };
  const [kim, lea, max] = [await author("Kim"), await author("Lea"), await author("Max")];
  const wrong = await leave(kim.token, { current_password: "a guess", migrate_ownership_id: lea.id });
  expect(wrong.body.error.validation).toHaveProperty("current_password");
  expect((await leave(kim.token, {})).status).toBe(422);
  expect((await leave(kim.token, { current_password: PASSWORD, migrate_ownership_id: kim.id })).status).toBe(422);
  expect((await leave(kim.token, { current_password: PASSWORD, migrate_ownership_id: lea.id })).status).toBe(204);
  expect((await runtime.ask("GET", "/api/users/me", { as: kim.token })).status).toBe(401);
  const book = async (id: number) => (await runtime.ask("GET", `/api/books/${id}`)).body;
  expect(await book(kim.book)).toMatchObject({ owned_by: { id: lea.id }, created_by: null });
  expect((await leave(max.token, { current_password: PASSWORD })).status).toBe(204);
  expect(await book(max.book)).toMatchObject({ owned_by: null, created_by: null });
  await runtime.ask("PUT", "/api/users/1", { body: { password: PASSWORD } });
  const admin = await runtime.tokenOf("admin@example.com");
  expect((await leave(admin, { current_password: PASSWORD })).status).toBe(409);
  expect((await me(admin)).id).toBe(1);
});

test("people are found by a part of the name, and by no address", async () => {
  const { token, email } = await person("Umit");
  const { slug } = (await runtime.ask("PUT", "/api/users/me", { as: token, body: { name: "Ümit Öz" } })).body;
  const find = async (query: string) =>
    (await runtime.ask("GET", `/api/people?query=${encodeURIComponent(query)}`, { as: token })).body.data;
  expect((await find("umit"))[0]).toEqual({
    ...{ id: expect.any(Number), name: "Ümit Öz", slug, created_at: expect.any(String) },
    avatar_url: "http://localhost/user_avatar.png",
  });
  expect([await find(email), await find("%%"), await find("__")]).toEqual([[], [], []]);
  expect((await runtime.ask("GET", "/api/people?query=x", { as: token })).status).toBe(422);
});

test("invitations name the instance and who invites, and are listed, sent again and withdrawn", async () => {
  const manager = await person("Mia", ["users-manage"]);
  const body = { name: "Ina", email: "ina@example.com", language: "fr", send_invite: true };
  const { id } = (await runtime.ask("POST", "/api/users", { as: manager.token, body })).body;
  await runtime.runtime.jobs.drain();
  const link = () => /register\/invite\/([A-Za-z0-9]{24})/.exec(lastMessage().text)?.[1] ?? "";
  const first = link();
  const { text } = lastMessage();
  expect([text.includes("Mia vous invite"), text.includes("Handbook"), text.includes("Bonjour Ina,")]).toEqual([
    true,
    true,
    true,
  ]);
  const listed = async () =>
    (await runtime.ask("GET", `/api/user-invites?filter[id]=${id}`, { as: manager.token })).body.data;
  expect(await listed()).toEqual([
    {
      user: { id, name: "Ina", slug: "ina", email: "ina@example.com" },
      invited_by: { id: manager.id, name: "Mia", slug: "mia" },
      expires_at: expect.any(String),
      expired: false,
    },
  ]);
  await runtime.store.sql`update user_invites set expires_at = now() - interval '30 days' where user_id = ${id}`;
  expect((await listed())[0].expired).toBe(true);
  expect((await runtime.ask("POST", `/api/users/${id}/invite`, { as: manager.token })).status).toBe(202);
  await runtime.runtime.jobs.drain();
  const second = link();
  const accept = async (token: string) =>
    (await runtime.ask("POST", `/api/register/invite/${token}`, { as: null, body: { password: "chosen now" } })).status;
  expect([second === first, await accept(first)]).toEqual([false, 404]);
  expect((await runtime.ask("DELETE", `/api/users/${id}/invite`, { as: manager.token })).status).toBe(204);
  expect([await accept(second), (await listed()).length]).toEqual([404, 0]);
  await runtime.ask("POST", `/api/users/${id}/invite`, { as: manager.token });
  await runtime.runtime.jobs.drain();
  expect(await accept(link())).toBe(200);
  expect((await runtime.ask("POST", `/api/users/${id}/invite`, { as: manager.token })).status).toBe(409);
  // Nobody but an administrator sends links that open an administrator's account.
  expect((await runtime.ask("POST", "/api/users/1/invite", { as: manager.token })).status).toBe(403);
  expect((await runtime.ask("GET", "/api/user-invites", { as: (await person("Una")).token })).status).toBe(403);
});
