/**
 * The passwords that people use most, which are the first ones anybody tries. The list is that of zxcvbn, by how often each
 * was found in leaks, in small letters. It is read when the first password is judged, and only its head is kept: the
 * 10,000 most used of all, and the 10,000 most used that are long enough to be chosen here.
 */
import { BootError } from "lectern/core";
import { invalidField } from "./checks.ts";

/** Where passwords are judged: nowhere, where people choose them, or also where clients of the API and commands set them. */
export type PasswordCheck = "none" | "screens" | "all";

const LIST = import.meta.resolve("@zxcvbn-ts/language-common/src/passwords.json");
const KEPT = 10_000;
const SHORTEST = 8;
const TOO_COMMON = "This password is among those that are used most; choose another one.";

let known: Promise<ReadonlySet<string>> | undefined;

async function readList(): Promise<ReadonlySet<string>> {
  const all = (await Bun.file(new URL(LIST)).json()) as readonly string[];
  return new Set([...all.slice(0, KEPT), ...all.filter(({ length }) => length >= SHORTEST).slice(0, KEPT)]);
}

/** Whether a password is among the most used, in whatever letters. */
export async function isCommon(password: string): Promise<boolean> {
  known ??= readList();
  return (await known).has(password.toLowerCase());
}

/** What is wrong with a password that a person chooses, if anything is; of one that is too short the rules say so. */
export async function commonPasswordError(check: PasswordCheck, password: string): Promise<string | undefined> {
  if (check === "none" || password.length < SHORTEST) return undefined;
  return (await isCommon(password)) ? TOO_COMMON : undefined;
}

/** Throws 422 for a password that is refused, where one is given. */
export type CheckPassword = (password: string | undefined) => Promise<void>;

/** What routes ask of a password: `byPeople` of those that choose their own by a link, `byApi` of whatever clients send. */
export function passwordChecker(check: PasswordCheck): {
  readonly byPeople: CheckPassword;
  readonly byApi: CheckPassword;
} {
  const byPeople: CheckPassword = async (password) => {
    const error = password ? await commonPasswordError(check, password) : undefined;
    if (error !== undefined) throw invalidField("password", error);
  };
  return { byPeople, byApi: check === "all" ? byPeople : async () => {} };
}

/** Throws BootError for a common password of the first administrator. */
export async function refuseFirst(check: PasswordCheck, password: string): Promise<void> {
  if (check !== "none" && password !== "" && (await isCommon(password)))
    throw new BootError(
      "Cannot make the first administrator: ADMIN_PASSWORD is one of the 10,000 most used passwords; choose another one, " +
        "leave it empty for a random one, or set PASSWORD_CHECK=none",
    );
}
