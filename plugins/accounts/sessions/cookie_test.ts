import { expect, test } from "bun:test";
import { cookieOf, cookieStyle, setCookie } from "./cookie.ts";

const style = cookieStyle("bookstack_session", "https://wiki.example.com/docs");

test("the cookie is for the instance alone, and over https for https alone", () => {
  expect(setCookie("abc", style)).toBe("bookstack_session=abc; Path=/docs; HttpOnly; SameSite=Lax; Secure");
  expect(setCookie("abc", cookieStyle("own", "http://localhost:8080"))).toBe("own=abc; Path=/; HttpOnly; SameSite=Lax");
  expect(setCookie("", style)).toEndWith("; Max-Age=0");
});

test("the cookie is found among others, by its whole name", () => {
  expect(cookieOf("a=b; bookstack_session=abc; c=d", style)).toBe("abc");
  expect(cookieOf("bookstack_session=", style)).toBe("");
  for (const header of [null, "", "bookstack_session", "xbookstack_session=abc", "=bookstack_session"])
    expect(cookieOf(header, style)).toBeUndefined();
});
