import { expect, test } from "bun:test";
import { scaled } from "../../../test/support/harness/machine_speed.ts";
import { MessageReader, messageBytes, ProtocolError } from "./messages.ts";

const MAX_BYTES = 4 * 2 ** 20;
const read = (bytes: Uint8Array) => [...new MessageReader(MAX_BYTES).push(bytes)];

function message(json: string): Uint8Array {
  const payload = Buffer.from(json);
  const header = Buffer.alloc(4);
  header.writeUInt32LE(payload.length);
  return Buffer.concat([header, payload]);
}

test("a message that is nested too deep is refused before it is parsed, which would take seconds", () => {
  const levels = 1_900_000;
  const since = performance.now();
  expect(() => read(message("[".repeat(levels) + "]".repeat(levels)))).toThrow(ProtocolError);
  expect(performance.now() - since).toBeLessThan(scaled(500));
  expect(() => read(message(`${'{"a":'.repeat(1_001)}1${"}".repeat(1_001)}`))).toThrow("more than 1000 levels");
});

test("brackets in texts are no levels, whatever is escaped in them", () => {
  const texts = [
    "[".repeat(5_000),
    '\\"[{'.repeat(2_000),
    `${"\\".repeat(3)}"${"{".repeat(2_000)}`,
    "ü[€".repeat(2_000),
  ];
  expect(read(messageBytes({ texts, bytes: Buffer.from("[[") }))).toEqual([
    { texts, bytes: new Uint8Array(Buffer.from("[[")) },
  ]);
  expect(read(message(JSON.stringify(Array.from({ length: 3_000 }, () => [{}]))))).toHaveLength(1);
});
