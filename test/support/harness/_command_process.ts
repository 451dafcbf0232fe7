/**
 * The process of `quickCommand`: runs commands of the program one after the other, each by evaluating core/cli.ts anew; its imports
 * are evaluated once. It gets each command by a message, answers with its result, and ends with the process that started it.
 */
import { CLI, type CommandResult, type CommandTask } from "./command.ts";

const [program = "", file = ""] = process.argv;
let count = 0;
let last: Promise<unknown> = Promise.resolve();

process.on("message", (task: CommandTask) => {
  last = last.then(async () => process.send?.({ id: task.id, ...(await resultOf(task)) }));
});
process.on("disconnect", () => process.exit());

async function resultOf({ args, env, cwd }: CommandTask): Promise<CommandResult> {
  const text = { out: "", err: "" };
  const collect = (name: keyof typeof text) => (chunk: unknown) => {
    text[name] += String(chunk);
    return true;
  };
  const write = [process.stdout.write, process.stderr.write] as const;
  [process.stdout.write, process.stderr.write] = [collect("out"), collect("err")];
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [program, file, ...args];
  process.exitCode = 0;
  try {
    await import(`${CLI}?${++count}`);
  } catch (error) {
    text.err += String(error instanceof Error ? error.stack : error);
    process.exitCode = 1;
  } finally {
    [process.stdout.write, process.stderr.write] = write;
  }
  const code = Number(process.exitCode);
  process.exitCode = 0;
  return { code, out: text.out.trim(), err: text.err.trim() };
}
