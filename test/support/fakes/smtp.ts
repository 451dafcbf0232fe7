/**
 * A mail server for tests: as much SMTP as a client needs to deliver a message; it keeps the messages, and refuses as many as a
 * test says. No TLS, no sign-in.
 */

/** A message as it came over the wire. */
export interface ReceivedMessage {
  readonly from: string;
  readonly to: readonly string[];
  /** Head and body, lines ended by CR LF. */
  readonly text: string;
}

/** The running server. */
export interface FakeSmtp {
  readonly port: number;
  readonly messages: ReceivedMessage[];
  /** How many of the next messages are refused with a temporary failure. */
  refuse(count: number): void;
  /** The recipients that are refused with a permanent failure. */
  readonly unknown: Set<string>;
  stop(): void;
}

interface Talk {
  rest: string;
  from: string;
  to: string[];
  body: string[] | undefined;
}

/** Starts a server on a free port. */
export function fakeSmtp(): FakeSmtp {
  const messages: ReceivedMessage[] = [];
  const unknown = new Set<string>();
  let refusals = 0;
  const answer = (talk: Talk, line: string): string | undefined => {
    if (talk.body) {
      if (line !== ".") {
        talk.body.push(line.startsWith("..") ? line.slice(1) : line);
        return undefined;
      }
      messages.push({ from: talk.from, to: talk.to, text: talk.body.join("\r\n") });
      Object.assign(talk, { to: [], body: undefined });
      return "250 taken";
    }
    const verb = line.slice(0, 4).toUpperCase();
    const address = /<(.*?)>/.exec(line)?.[1] ?? "";
    if (verb === "MAIL") {
      talk.from = address;
      refusals -= 1;
      return refusals >= 0 ? "451 not now" : "250 sender noted";
    }
    if (verb === "RCPT" && unknown.has(address)) return "550 no such user";
    if (verb === "RCPT") talk.to.push(address);
    if (verb === "DATA") talk.body = [];
    return verb === "DATA" ? "354 go on" : verb === "QUIT" ? "221 bye" : "250 fine";
  };
  const server = Bun.listen<Talk>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        socket.data = { rest: "", from: "", to: [], body: undefined };
        socket.write("220 test ready\r\n");
      },
      data(socket, chunk) {
        const lines = (socket.data.rest + chunk.toString()).split("\r\n");
        socket.data.rest = lines.pop() ?? "";
        for (const line of lines) {
          const reply = answer(socket.data, line);
          if (reply !== undefined) socket.write(`${reply}\r\n`);
        }
      },
    },
  });
  return {
    port: server.port,
    messages,
    unknown,
    refuse: (count) => {
      refusals = count;
    },
    stop: () => void server.stop(true),
  };
}
