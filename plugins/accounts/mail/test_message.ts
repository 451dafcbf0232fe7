import { type Mail, MailRejected } from "lectern/contracts";
import { ApiError, endpoint, localizedError, type PluginContext, SECOND_MS } from "lectern/core";
import { messageOf } from "lectern/db";
import { testedSchema, testRules } from "./contract.ts";

/** Tests of an administrator in a minute. */
const MAX_TESTS = 20;

/** Mounts the route that sends a message to try the settings. What the server says against it is told, since that is what one wants to know. */
export function mountTest(
  { app, contracts, limiter, log, texts, validate }: PluginContext<"instance_settings">,
  mail: Mail,
): void {
  const limit = limiter("test", MAX_TESTS);
  app.post(
    "/mail/test",
    async ({ viewer, input }) => {
      const { to } = await validate(testRules, input, viewer);
      const { exceeded, resetsAt } = await limit.take(String(viewer.id));
      if (exceeded) {
        const seconds = Math.max(1, Math.ceil(resetsAt - Date.now() / SECOND_MS));
        throw new ApiError(429, "Too Many Attempts.", { headers: { "retry-after": String(seconds) } });
      }
      await contracts.instance_settings.fresh();
      if (!mail.isConfigured) throw localizedError(422, "No mail server and sender are set up", {});
      const language = viewer.language ?? texts.language();
      const name = contracts.instance_settings.value("app_name");
      try {
        await mail.send({
          to,
          subject: texts.say("Test message of :name", { name }, language),
          text: texts.say("This message shows that :name sends mail.", { name }, language),
        });
      } catch (error) {
        log.warn("A test message was not accepted", { error });
        const text =
          error instanceof MailRejected ? "The address was refused: :reason" : "The message could not be sent: :reason";
        throw localizedError(422, text, { reason: messageOf(error) });
      }
      return { accepted: true } as const;
    },
    {
      permit: "settings-manage",
      response: testedSchema,
      ...endpoint("mail", "test", {
        about:
          "Sends a message to an address, to try the settings of mail. It is accepted once the mail server has taken it; what that says " +
          "against it is the message of the 422.",
        rules: testRules,
        errors: [422],
      }),
    },
  );
}
