import { expect, test } from "bun:test";
import type { Mail } from "lectern/contracts";
import mail from "./plugin.ts";

async function setUp(settings: Record<string, unknown>): Promise<Mail> {
  let provided: Mail | undefined;
  const defaults = {
    from: "",
    host: "",
    port: 587,
    username: "",
    password: "",
    encryption: "",
    transport: "",
    timeout: 30,
  };
  await mail.setup({
    settings: { ...defaults, ...settings },
    provide: (_: string, service: Mail) => {
      provided = service;
    },
    on: () => {},
    onStop: () => {},
    slot: () => [],
  } as never);
  return provided as Mail;
}

test("without a server sending fails with the name of the setting", async () => {
  const service = await setUp({});
  expect(service.isConfigured).toBe(false);
  await expect(service.send({ to: "a@example.com", subject: "x", text: "y" })).rejects.toThrow("MAIL_HOST");
});

test("a server without a sender stops the boot", async () => {
  await expect(setUp({ host: "mail.example.com" })).rejects.toThrow("MAIL_FROM");
  const service = await setUp({ host: "mail.example.com", from: "wiki@example.com" });
  expect(service.isConfigured).toBe(true);
});
