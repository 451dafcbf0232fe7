import { expect, test } from "bun:test";
import type { Mail } from "lectern/contracts";
import mail from "./plugin.ts";

/** The service over settings of the instance. */
async function setUp(values: Record<string, unknown>): Promise<Mail> {
  let provided: Mail | undefined;
  const set: Record<string, unknown> = { mail_from: "", mail_host: "", ...values };
  await mail.setup({
    settings: { transport: "", timeout: 30 },
    contracts: { instance_settings: { value: (name: string) => set[name], fresh: () => undefined } },
    contribute: () => {},
    limiter: () => {},
    app: { post: () => {} },
    provide: (_: string, service: Mail) => {
      provided = service;
    },
    on: () => {},
    onStop: () => {},
    slot: () => [],
  } as never);
  return provided as Mail;
}

const MESSAGE = { to: "a@example.com", subject: "x", text: "y" };

test("without a server sending fails with the name of the setting", async () => {
  const service = await setUp({});
  expect(service.isConfigured).toBe(false);
  await expect(service.send(MESSAGE)).rejects.toThrow("MAIL_HOST");
});

test("a server without a sender sends nothing, and says which setting is missing", async () => {
  const service = await setUp({ mail_host: "mail.example.com" });
  expect(service.isConfigured).toBe(false);
  await expect(service.send(MESSAGE)).rejects.toThrow("MAIL_FROM");
  const whole = await setUp({ mail_host: "mail.example.com", mail_from: "wiki@example.com" });
  expect(whole.isConfigured).toBe(true);
});
