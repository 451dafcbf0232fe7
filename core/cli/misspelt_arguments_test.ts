import { expect, test } from "bun:test";
import { misspeltArgument } from "./misspelt_arguments.ts";

const USAGE = "create --email E [--role NAME …] [--read-only] | list | retry ID…|--all";

test("misspelt options and subcommands are named with the nearest one", () => {
  for (const [args, said] of [
    [["craete", "--email", "a@b.c"], 'There is no command "user craete"; did you mean "user create"?'],
    [["create", "--emial", "a@b.c"], '"user" has no option "--emial"; did you mean "--email"?'],
    [["create", "--readonly"], '"user" has no option "--readonly"; did you mean "--read-only"?'],
    [["create", "--rle=Admin"], '"user" has no option "--rle"; did you mean "--role"?'],
    [["retry", "--al"], '"user" has no option "--al"; did you mean "--all"?'],
  ] as const)
    expect(misspeltArgument("user", USAGE, args)).toBe(said);
});

test("what is right, hidden, after -- or like nothing is left to the command", () => {
  for (const args of [
    [],
    ["create", "--email=a@b.c", "--role", "Admin"],
    ["list", "--help"],
    ["list", "--", "--emial"],
    ["frobnicate"],
    ["list", "--frobnicate"],
    ["create", "--roles-of-all"],
  ])
    expect(misspeltArgument("user", USAGE, args)).toBeUndefined();
  expect(misspeltArgument("serve", "[--workers N]", ["--worker", "1"])).toContain("--workers");
  expect(misspeltArgument("serve", "[--workers N]", ["--worker", "1"], ["--worker"])).toBeUndefined();
});

test("the first argument of a command without subcommands is anything", () => {
  expect(misspeltArgument("doctor", "[--fix] [CHECK …]", ["fix"])).toBeUndefined();
  expect(misspeltArgument("restore", "FILE [--replace]", ["file"])).toBeUndefined();
});
