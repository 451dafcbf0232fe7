import type { InstanceSettings, MailTransport } from "lectern/contracts";
import type { createSmtpTransport, SmtpServer } from "./transport.ts";

type SmtpTransport = ReturnType<typeof createSmtpTransport>;

/** The name of the shipped transport. */
export const SMTP = "smtp";

/** The server of the settings, as they are at each message: another server, user or password holds for the next one. */
export class ConfiguredServer implements MailTransport {
  readonly name = SMTP;
  readonly #settings: InstanceSettings;
  #open: { readonly key: string; readonly transport: SmtpTransport } | undefined;

  constructor(settings: InstanceSettings) {
    this.#settings = settings;
  }

  /** Whether a server is set. */
  get isThere(): boolean {
    return this.#settings.value("mail_host") !== "";
  }

  /** See `MailTransport.send`. */
  async send(...given: Parameters<MailTransport["send"]>): Promise<void> {
    // The library is loaded by the first message: most starts and commands send none.
    const { createSmtpTransport } = await import("./transport.ts");
    const server = this.#server();
    const key = JSON.stringify(server);
    if (this.#open?.key !== key) {
      this.close();
      this.#open = { key, transport: createSmtpTransport(server) };
    }
    await this.#open.transport.send(...given);
  }

  /** Ends what is open. */
  close(): void {
    this.#open?.transport.close();
    this.#open = undefined;
  }

  #server(): SmtpServer {
    const settings = this.#settings;
    return {
      host: settings.value("mail_host"),
      port: settings.value("mail_port"),
      username: settings.value("mail_username"),
      password: settings.secret("mail_password"),
      encryption: settings.value("mail_encryption"),
    };
  }
}
