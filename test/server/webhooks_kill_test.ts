/** A server killed amid a thousand calls of webhooks: all of them are made, once it is started again. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { dataFolder, startProgram } from "../support/program.ts";
import { openReceiver } from "../support/receiver.ts";

const HOOKS = 10;
const BOOKS = 100;

setDefaultTimeout(120_000);
const folder = dataFolder();
const receiver = openReceiver();
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
  const told = () => new Set(receiver.received.map(({ path, json }) => `${path} ${json.related_item.name}`));
  for (const end = Date.now() + 60_000; told().size < HOOKS * BOOKS && Date.now() < end; ) await Bun.sleep(100);
  expect(told().size).toBe(HOOKS * BOOKS);
  again.signal("SIGTERM");
  expect(await again.ended).toBe(0);
});
