/**
 * Refuses the most used passwords, which are the first ones that attackers try. The list is that of zxcvbn, in lower case,
 * sorted by frequency in leaks. It is read when the first password is checked, and two parts of it stay in memory: the
 * 10,000 most used of all, and the 10,000 most used of at least 8 characters.
 */
import { BootError, invalidFields } from "lectern/core";

/** Where passwords are checked: nowhere, where users choose their own, or also where API clients and commands set them. */
export type PasswordCheck = "none" | "screens" | "all";

const LIST = import.meta.resolve("@zxcvbn-ts/language-common/src/passwords.json");
const COUNT = 10_000;
const MIN_LENGTH = 8;
const TOO_COMMON = "This password is among those that are used most; choose another one.";

let common: Promise<ReadonlySet<string>> | undefined;

async function readList(): Promise<ReadonlySet<string>> {
  const all: readonly string[] = await Bun.file(new URL(LIST)).json();
  return new Set([...all.slice(0, COUNT), ...all.filter(({ length }) => length >= MIN_LENGTH).slice(0, COUNT)]);
}

/** Whether a password is among the most used, compared case-insensitively. */
export async function isCommon(password: string): Promise<boolean> {
  common ??= readList();
  return (await common).has(password.toLowerCase());
}

/** The error of a password that a user chooses; undefined if it is accepted. Too short ones are left to the rules. */
export async function commonPasswordError(check: PasswordCheck, password: string): Promise<string | undefined> {
  if (check === "none" || password.length < MIN_LENGTH) return undefined;
  return (await isCommon(password)) ? TOO_COMMON : undefined;
}

/** Throws 422 if a password is given and refused. */
export type CheckPassword = (password: string | undefined) => Promise<void>;

/** The checks of one setting. */
export interface PasswordChecker {
  /** Checks a password that users choose for themselves by a link. */
  readonly byUser: CheckPassword;
  /** Checks a password that an API client or a command sets. */
  readonly byApi: CheckPassword;
}

/** Creates the checks of a setting. */
export function createPasswordChecker(check: PasswordCheck): PasswordChecker {
  const byUser: CheckPassword = async (password) => {
    const error = password ? await commonPasswordError(check, password) : undefined;
    if (error !== undefined) throw invalidFields({ password: error });
  };
  return { byUser, byApi: check === "all" ? byUser : async () => {} };
}

/** Throws BootError if the password of the first administrator is too common. */
export async function checkFirstPassword(check: PasswordCheck, password: string): Promise<void> {
  if (check !== "none" && password !== "" && (await isCommon(password)))
    throw new BootError(
      "Cannot create the first administrator: ADMIN_PASSWORD is one of the 10,000 most used passwords; choose another one, " +
        "leave it empty for a random one, or set PASSWORD_CHECK=none",
    );
}
