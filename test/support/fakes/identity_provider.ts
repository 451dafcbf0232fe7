/** An identity provider of tests: OpenID Connect's discovery, authorization code with PKCE, and ID tokens signed by RS256. */

/** The client that is registered at the provider. */
export const CLIENT = { id: "lectern", secret: "client secret" };

type Claims = Readonly<Record<string, unknown>>;

/** A running provider. */
export interface IdentityProvider {
  readonly issuer: string;
  /** Claims of the next ID tokens, in place of the right ones; "sub" and "email" at least. */
  claims: Claims;
  /** Whether the next ID tokens are signed by a key that is not published. */
  isForging: boolean;
  stop(): Promise<void>;
}

interface Granted {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirect: string;
}

const RS256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const TOKEN_SECONDS = 300;
const base64url = (bytes: Uint8Array) => bytes.toBase64({ alphabet: "base64url", omitPadding: true });
const encoded = (value: unknown) => base64url(new TextEncoder().encode(JSON.stringify(value)));
const newKey = () =>
  crypto.subtle.generateKey({ ...RS256, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }, true, [
    "sign",
    "verify",
  ]);

/** Starts a provider on a free port of the loopback address. Everybody who comes to it is signed in as `claims` say. */
export async function openIdentityProvider(): Promise<IdentityProvider> {
  const [published, forged] = await Promise.all([newKey(), newKey()]);
  const codes = new Map<string, Granted>();

  const signed = async (nonce: string): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: provider.issuer, aud: CLIENT.id, iat: now, exp: now + TOKEN_SECONDS, nonce };
    const text = `${encoded({ alg: "RS256", kid: "one" })}.${encoded({ ...usual, ...provider.claims })}`;
    const { privateKey } = provider.isForging ? forged : published;
    const signature = await crypto.subtle.sign(RS256, privateKey, new TextEncoder().encode(text));
    return `${text}.${base64url(new Uint8Array(signature))}`;
  };
  const authorize = (query: URLSearchParams): Response => {
    const of = (name: string) => query.get(name) ?? "";
    const isKnown =
      of("response_type") === "code" && of("client_id") === CLIENT.id && of("code_challenge_method") === "S256";
    if (!isKnown) return new Response("", { status: 400 });
    const code = crypto.randomUUID();
    codes.set(code, { challenge: of("code_challenge"), nonce: of("nonce"), redirect: of("redirect_uri") });
    const back = new URL(of("redirect_uri"));
    back.search = new URLSearchParams({ code, state: of("state") }).toString();
    return new Response(null, { status: 302, headers: { location: back.href } });
  };
  const token = async (form: URLSearchParams): Promise<Response> => {
    const of = (name: string) => form.get(name) ?? "";
    const granted = codes.get(of("code"));
    codes.delete(of("code"));
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(of("code_verifier")));
    const isRight =
      granted?.challenge === base64url(new Uint8Array(digest)) &&
      granted.redirect === of("redirect_uri") &&
      of("client_secret") === CLIENT.secret;
    if (!granted || !isRight) return Response.json({ error: "invalid_grant" }, { status: 400 });
    return Response.json({ token_type: "Bearer", access_token: "unused", id_token: await signed(granted.nonce) });
  };

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const { issuer } = provider;
      if (pathname === "/.well-known/openid-configuration")
        return Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
        });
      if (pathname === "/authorize") return authorize(searchParams);
      if (pathname === "/token") return token(new URLSearchParams(await request.text()));
      if (pathname !== "/keys") return new Response("", { status: 404 });
      return Response.json({
        keys: [{ ...(await crypto.subtle.exportKey("jwk", published.publicKey)), kid: "one", use: "sig" }],
      });
    },
  });
  const provider: IdentityProvider = {
    issuer: `http://127.0.0.1:${server.port}`,
    claims: { sub: "1", email: "nobody@example.com", email_verified: true },
    isForging: false,
    stop: () => server.stop(true),
  };
  return provider;
}
