import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

const checks = (name: string) => test('unit', 'unit/auth/token-checks', name);

/** Mistakes in checks of tokens, and with issuers that are slow, changed or unlike others. */
export const TOKENS: readonly Mutation[] = [
  {
    name: 'token-forged-by-old-keys',
    file: 'src/auth/issuer-keys.ts',
    find: 'if (keys.readAtMs >= sinceMs) throw new ForeignSignatureError(isNamed);',
    put: 'if (keys.readAtMs >= 0) throw new ForeignSignatureError(isNamed);',
    breaks: 'a genuine token is called forged because the keys of its issuer are cached',
    found: checks('that are new are read when a token names one'),
  },
  {
    name: 'issuer-keys-read-for-each-token',
    file: 'src/auth/issuer-keys.ts',
    find: 'if (this.#reading !== null) return this.#reading;',
    put: 'if (this.#reading === undefined) return this.#reading;',
    breaks: 'each token that waits for the keys of an issuer asks the issuer',
    found: checks('are read once for all who wait for them'),
  },
  {
    name: 'token-without-end',
    file: 'src/auth/token-rules.ts',
    find: "return 'a time of the token is not a finite number';",
    put: 'return null;',
    breaks: 'a token with exp 1e400 is taken for ever',
    found: checks('a time without end'),
  },
  {
    name: 'token-without-leeway',
    file: 'src/auth/verify-token.ts',
    find: 'clockTolerance: leewayMs / 1_000,',
    put: 'clockTolerance: 0,',
    breaks: 'a token of an issuer whose clock is a second ahead is refused',
    found: checks('that begins a little later than now'),
  },
  {
    name: 'issuer-delays-others',
    file: 'src/http/kit/guesses.ts',
    find: "issuer === '' ? address : `${address} ${issuer}`;",
    put: "issuer === '' ? address : `${address}`;",
    breaks: 'tokens of an issuer that does not answer hold up tokens of all others',
    found: test('integration', 'integration/http-guesses', 'wait for no issuer'),
  },
  {
    name: 'unjudged-token-unlimited',
    file: 'src/http/kit/guesses.ts',
    find: 'if (place.unjudged >= max)',
    put: 'if (place.unjudged < 0)',
    breaks: 'an address may ask without limit while an issuer is away',
    found: test('integration', 'integration/http-guesses', 'say nothing where an issuer'),
  },
  {
    name: 'login-lost-with-its-server',
    file: 'src/auth/sign-in.ts',
    find: 'if (isUnanswered(error)) throw noServer(found.issuer, error);',
    put: '',
    breaks: 'a login fails because its authorization server is away for a moment',
    found: test('integration', 'integration/login', 'a login goes on where it was'),
  },
  {
    name: 'issuer-endpoints-beside',
    file: 'src/auth/issuer-directory.ts',
    find: '        movedBeside(asked, { from: issuer, to: endpointUrl }));',
    put: '        null);',
    breaks: 'a server with endpoints beside the issuer is asked where nobody answers',
    found: test('integration', 'integration/http-issuers', 'lets programs and people in'),
  },
  {
    name: 'issuer-endpoint-settings-ignored',
    file: 'src/auth/issuer-directory.ts',
    find: 'return { ...document, issuer, ...endpoints };',
    put: 'return { ...document, issuer };',
    breaks: 'an endpoint of the configuration counts for nothing',
    found: test(
      'integration',
      'integration/http-issuers',
      'count before those that the issuer names',
    ),
  },
  {
    name: 'event-stream-outlives-caller',
    file: 'src/http/routes/events/stays.ts',
    find: 'if (!stay.has(request)) this.#all.get(request)?.abort();',
    put: 'if (stay.has(request)) this.#leave(request);',
    breaks: 'an event stream outlives its token, session and tenant',
    found: test('integration', 'integration/http-events', 'ends within two seconds'),
  },
  {
    name: 'event-stream-kept-by-client',
    file: 'src/http/routes/events/event-body.ts',
    find: "ended.addEventListener('abort', cut, { once: true });",
    put: "ended.addEventListener('error', cut, { once: true });",
    breaks: 'a client that reads nothing keeps the event stream of an ended caller',
    found: test('unit', 'unit/http/event-body', 'is cut although'),
  },
];
