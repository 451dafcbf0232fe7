/**
 * The sizes up to which the server's own process works on texts of users: of each text of the corpus that was slow once
 * (`support/data/slow_inputs.ts`), a longer one is refused or worked on by a child process.
 */
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { GROWN, IN_CHILD, MAX_HEAD_BYTES } from "../support/data/grown_inputs.ts";
import { grownTo, SLOW_INPUTS } from "../support/data/slow_inputs.ts";

const outcome = async (run: () => unknown) => {
  try {
    await run();
    return "here";
  } catch (error) {
    return error === IN_CHILD ? "child" : "refused";
  }
};

test("a text that was slow once goes to a child process beyond the size that the server works on", async () => {
  const found: string[] = [];
  for (const input of SLOW_INPUTS) {
    const grown = GROWN.find(({ name }) => name === input.of);
    if (!grown) found.push(`"${input.of}" is no text of GROWN`);
    else if (grown.beyond === "child") {
      const where = await outcome(() => grown.run(grownTo(2 * grown.maxChars, input)));
      if (where !== "child") found.push(`${JSON.stringify(input)} of twice the size is worked on ${where}`);
    }
  }
  expect(found).toEqual([]);
});

test("every text of a function with a child process goes there beyond its size, and none of ordinary size", async () => {
  for (const { name, beyond, maxChars, run } of GROWN) {
    expect([name, await outcome(() => run("a"))]).toEqual([name, name === "a JSON body" ? "refused" : "here"]);
    if (beyond === "child") expect([name, await outcome(() => run("a ".repeat(maxChars)))]).toEqual([name, "child"]);
  }
});

test("Bun refuses the head of a request beyond 16 KB, so that no header and no query is longer", async () => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("read") });
  const statusOf = async (bytes: number) => {
    const answer = Promise.withResolvers<string>();
    const socket = connect(server.port ?? 0, "127.0.0.1");
    socket.on("data", (data) => answer.resolve(data.toString().slice(9, 12)));
    socket.on("error", answer.reject);
    socket.write(`GET /?${"a".repeat(bytes)} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
    const status = await answer.promise;
    socket.destroy();
    return status;
  };
  expect(await statusOf(MAX_HEAD_BYTES - 200)).toBe("200");
  expect(await statusOf(MAX_HEAD_BYTES)).toBe("431");
  await server.stop(true);
});
