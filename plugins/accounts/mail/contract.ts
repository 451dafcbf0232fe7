import type { Static } from "lectern/core";
import { rules, t } from "lectern/core";

/** The body of a test. */
export const testRules = rules({ to: ["required", "email"] });

/** A message that was accepted. */
export const testedSchema = t.Object({ accepted: t.Literal(true) }, { $id: "TestedMail" });

declare module "lectern/contracts" {
  interface Answers {
    "POST /api/mail/test": Static<typeof testedSchema>;
  }
  interface SettingValues {
    mail_from: string;
    /** "" for none. */
    mail_host: string;
    mail_port: number;
    /** "tls" requires STARTTLS, "ssl" begins with TLS, "" uses STARTTLS where it is offered. */
    mail_encryption: "" | "tls" | "ssl";
    mail_username: string;
    /** A secret. */
    mail_password: string;
  }
}
