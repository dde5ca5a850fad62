import { createAuthorizationServer } from '../../../localnet/auth/authorization-server.ts';
import { masterRealm, openRealms } from '../../../localnet/auth/signing-keys.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';

/** The party that tokens of the realm AppUser name for the user. */
export const USER_PARTY = 'app_user_quickstart-tenure-1::1220cafe';

export type Form = Readonly<Record<string, string>>;

export interface TokenReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An authorization server on a free port, without a ledger. */
export class LoneAuthorizationServer implements AsyncDisposable {
  readonly base: string;
  readonly #stop: () => Promise<void>;

  constructor(base: string, stop: () => Promise<void>) {
    this.base = base;
    this.#stop = stop;
  }

  tokenUrl(realm: string): string {
    return `${this.base}/realms/${realm}/protocol/openid-connect/token`;
  }

  /** Sends a token request; a string as `form` is sent unchanged. */
  async ask(realm: string, form: Form | string, headers: Form = {}): Promise<TokenReply> {
    const answer = await fetch(this.tokenUrl(realm), {
      method: 'POST',
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const body = (await answer.json()) as TokenReply['body'];
    return { status: answer.status, headers: answer.headers, body };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop();
  }
}

export async function openAuthorizationServer(): Promise<LoneAuthorizationServer> {
  const kept = new Map<string, string>();
  const users = new Map<string, string>();
  const store = {
    keys: {
      get: (name: string) => kept.get(name),
      put: (name: string, value: string) => void kept.set(name, value),
    },
    users: {
      all: () => users,
      put: (_realm: string, id: string, value: string) => void users.set(id, value),
    },
  };
  const app = createAuthorizationServer({
    realms: await openRealms(store),
    openMaster: masterRealm(store),
    partyIdOf: () => USER_PARTY,
    log: () => undefined,
  });
  const base = await app.listen({ host: '127.0.0.1', port: 0 });
  return new LoneAuthorizationServer(base, () => app.close());
}

/** Returns HTTP Basic credentials as RFC 6749, section 2.3.1, requires. */
export const basic = (clientId: string, secret: string): Form => {
  const pair = [clientId, secret].map(encodeURIComponent).join(':');
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
};

/** Returns the form with which a client requests a token for a person, with the person's password. */
export const person = (clientId: string, username: string, password = 'abc123'): Form => ({
  grant_type: 'password',
  client_id: clientId,
  username,
  password,
});
