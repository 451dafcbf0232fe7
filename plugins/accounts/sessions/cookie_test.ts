import { expect, test } from "bun:test";
import { cookieOf, cookieStyleFor, setCookie } from "./cookie.ts";

const style = cookieStyleFor("bookstack_session", "https://wiki.example.com/docs");

test("the cookie has the path of the instance, and Secure with https alone", () => {
  expect(setCookie("abc", style)).toBe("bookstack_session=abc; Path=/docs; HttpOnly; SameSite=Lax; Secure");
  expect(setCookie("abc", cookieStyleFor("own", "http://localhost:8080"))).toBe(
    "own=abc; Path=/; HttpOnly; SameSite=Lax",
  );
  expect(setCookie("", style)).toEndWith("; Max-Age=0");
});

test("the cookie is found among others by its exact name", () => {
  expect(cookieOf("a=b; bookstack_session=abc; c=d", style)).toBe("abc");
  expect(cookieOf("bookstack_session=", style)).toBe("");
  for (const header of [null, "", "bookstack_session", "xbookstack_session=abc", "=bookstack_session"])
    expect(cookieOf(header, style)).toBeUndefined();
});
