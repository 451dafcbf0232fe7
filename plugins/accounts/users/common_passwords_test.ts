import { expect, test } from "bun:test";
import { commonPasswordError, isCommon, refuseFirst } from "./common_passwords.ts";

test("the most used passwords are known in whatever letters, others are not", async () => {
  for (const password of ["password", "PassWord", "12345678", "123456", "iloveyou", "qwertyuiop", "admin"])
    expect([password, await isCommon(password)]).toEqual([password, true]);
  for (const password of ["", "correct horse battery", "Corr3ct-horse-battery", "passwort im keller"])
    expect([password, await isCommon(password)]).toEqual([password, false]);
});

test("nothing is judged where nobody wants it", async () => {
  expect(await commonPasswordError("none", "password")).toBeUndefined();
  expect(await commonPasswordError("screens", "password")).toContain("used most");
  expect(await commonPasswordError("screens", "admin")).toBeUndefined();
  await refuseFirst("none", "password");
  await refuseFirst("all", "");
  await expect(refuseFirst("screens", "admin")).rejects.toThrow("ADMIN_PASSWORD is one of the 10,000 most used");
});
