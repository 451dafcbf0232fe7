/** A server that ends during calls of webhooks, killed or by SIGTERM: all of them are made once it is started again. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { openReceiver, type Received } from "../support/fakes/webhook_receiver.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

const HOOKS = 10;
const BOOKS = 100;

setDefaultTimeout(120_000);
const folder = dataFolder("ready");
const receiver = openReceiver();
afterEach(() => {
  receiver.received.length = 0;
});
afterAll(async () => {
  await receiver.stop();
  folder.remove();
});

test("killed amid a thousand calls and started again, it has made every one of them", async () => {
  const more = { ALLOW_PRIVATE_HOSTS: "127.0.0.1/32" };
  const program = await startProgram(folder.path, more);
  for (let at = 0; at < HOOKS; at++)
    await program.ask("POST", "/api/webhooks", {
      name: `Hook ${at}`,
      endpoint: `${receiver.url}/${at}`,
      events: ["book_create"],
      timeout: 1,
    });
  // Slow enough that many are under way, and quick enough for a test.
  receiver.answer = async () => {
    await Bun.sleep(5);
    return new Response();
  };
  for (let at = 0; at < BOOKS; at++) await program.ask("POST", "/api/books", { name: `Book ${at}` });
  await receiver.until((HOOKS * BOOKS) / 4, 60_000);
  program.signal("SIGKILL");
  await program.ended;
  expect(receiver.received.length).toBeLessThan(HOOKS * BOOKS);
  const again = await startProgram(folder.path, more);
  const made = () => new Set(receiver.received.map(({ path, json }) => `${path} ${json.related_item.name}`));
  expect(
    await until(
      () => made().size,
      (count) => count >= HOOKS * BOOKS,
      60_000,
    ),
  ).toBe(HOOKS * BOOKS);
  again.signal("SIGTERM");
  expect(await again.ended).toBe(0);
});

test("on SIGTERM it waits for no receiver that hangs, and calls it again after the next start", async () => {
  const more = { ALLOW_PRIVATE_HOSTS: "127.0.0.1/32" };
  const program = await startProgram(folder.path, more);
  const endpoint = `${receiver.url}/hanging`;
  // Calls of the test before may be repeated meanwhile: those that a busy machine answered too late.
  const isHanging = ({ path }: Received) => path === "/hanging";
  await program.ask("POST", "/api/webhooks", { name: "Hanging", endpoint, events: ["bookshelf_create"], timeout: 600 });
  receiver.answer = () => new Promise(() => {});
  await program.ask("POST", "/api/shelves", { name: "Shelf" });
  await receiver.until((received) => received.some(isHanging));
  const started = performance.now();
  program.signal("SIGTERM");
  expect(await program.ended).toBe(0);
  expect(performance.now() - started).toBeLessThan(scaled(10_000));
  receiver.answer = () => new Response();
  const again = await startProgram(folder.path, more);
  await receiver.until((received) => received.filter(isHanging).length === 2, 20_000);
  const ids = receiver.received.filter(isHanging).map(({ headers }) => headers.get("webhook-id"));
  expect(new Set(ids).size).toBe(1);
  again.signal("SIGTERM");
  expect(await again.ended).toBe(0);
});
