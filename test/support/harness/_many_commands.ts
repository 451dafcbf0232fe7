/**
 * Runs several commands of the program one after the other in this process, each by evaluating core/cli.ts anew; its imports
 * are evaluated once. The argument is a JSON list of argument lists. Writes a JSON list with the result of each.
 */
import { readdirSync } from "node:fs";
import { CLI, type CommandResult } from "./command.ts";

const [program = "", file = "", list = "[]"] = process.argv;
const write = { out: process.stdout.write, err: process.stderr.write };
const results: (CommandResult & { left: string[] })[] = [];
for (const args of JSON.parse(list) as string[][]) {
  const text = { out: "", err: "" };
  const collect = (name: keyof typeof text) => (chunk: unknown) => {
    text[name] += String(chunk);
    return true;
  };
  process.stdout.write = collect("out");
  process.stderr.write = collect("err");
  process.argv = [program, file, ...args];
  process.exitCode = 0;
  await import(`${CLI}?${results.length}`);
  results.push({
    code: Number(process.exitCode),
    out: text.out.trim(),
    err: text.err.trim(),
    left: readdirSync(process.cwd()),
  });
}
[process.stdout.write, process.stderr.write] = [write.out, write.err];
process.exitCode = 0;
process.stdout.write(JSON.stringify(results));
