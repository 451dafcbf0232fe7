import { expect, test } from "bun:test";
import { checkFirstPassword, commonPasswordError, isCommon } from "./common_passwords.ts";

test("the most used passwords are refused whatever their case, others are not", async () => {
  for (const password of ["password", "PassWord", "12345678", "123456", "iloveyou", "qwertyuiop", "admin"])
    expect([password, await isCommon(password)]).toEqual([password, true]);
  for (const password of ["", "correct horse battery", "Corr3ct-horse-battery", "passwort im keller"])
    expect([password, await isCommon(password)]).toEqual([password, false]);
});

test("the setting none checks nothing, and short passwords are left to the rules", async () => {
  expect(await commonPasswordError("none", "password")).toBeUndefined();
  expect(await commonPasswordError("screens", "password")).toContain("used most");
  expect(await commonPasswordError("screens", "admin")).toBeUndefined();
  await checkFirstPassword("none", "password");
  await checkFirstPassword("all", "");
  await expect(checkFirstPassword("screens", "admin")).rejects.toThrow("ADMIN_PASSWORD is one of the 10,000 most used");
});
