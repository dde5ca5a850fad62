import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import inject from 'light-my-request';
import { pathOf } from '../listener.ts';
import type { Log } from '../log.ts';
import { messagePage, PAGE_HEADERS, signInPage } from './login-page.ts';
import { PUBLIC_DEMO_PASSWORD } from './realms.ts';
import type { LoginProvider, PendingSignIn } from './login-provider.ts';
import type { OpenRealm } from './signing-keys.ts';
import type { TokenAnswer } from './token-endpoint.ts';

export interface LoginOptions {
  /** @throws UnknownRealm */
  readonly findRealm: (request: FastifyRequest) => Promise<OpenRealm>;
  readonly partyIdOf: (userId: string) => string | undefined;
  readonly log: Log;
}

export class UnknownRealm extends Error {
  override readonly name = 'UnknownRealm';
}

/** Returns the base URL that the browser sees. A malformed `Host` is never repeated in an answer. */
export function baseSeenBy(request: FastifyRequest): string | undefined {
  const { host = '' } = request.headers;
  const isHost = /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host);
  return isHost && URL.canParse(`http://${host}`) ? `http://${host}` : undefined;
}

/**
 * Adds the routes of a browser login, below `/realms/{realm}`:
 *
 * - `GET /protocol/openid-connect/auth`, which starts a login, and `/auth/{uid}`, which continues it
 * - `GET /login-actions/authenticate/{uid}`, the login page, and `POST`, its form
 * - `GET /protocol/openid-connect/logout`, and the steps after it
 *
 * @returns the function with which the token endpoint redeems codes and refresh tokens
 */
export function addLoginRoutes(app: FastifyInstance, options: LoginOptions) {
  const { findRealm } = options;
  const providerOf = loginProviders(options);
  const forward = async (request: FastifyRequest, reply: FastifyReply) => {
    const { status, headers, body } = await passOn(
      await providerOf(await findRealm(request)),
      request,
    );
    return reply.code(status).headers(headers).send(body);
  };
  const pending = async (request: FastifyRequest, reply: FastifyReply) => {
    const { uid } = request.params as { uid: string };
    const provider = await providerOf(await findRealm(request));
    const signIn = await provider.pendingSignIn(request.raw, reply.raw);
    return signIn?.uid === uid ? signIn : undefined;
  };

  void app.register(async (pages) => {
    pages.setErrorHandler(async (error, request, reply) =>
      answerPageError(error, request, reply, options.log),
    );
    pages.addHook('onRequest', async (request) => {
      // The URLs of a login are built from the `Host` header, so it must be valid.
      if (baseSeenBy(request) === undefined) throw new UnreadableRequest('Unusable Host header');
    });
    const connect = '/realms/:realm/protocol/openid-connect';
    for (const path of ['/auth', '/auth/:uid', '/logout', '/logout/success']) {
      pages.get(connect + path, { exposeHeadRoute: false }, forward);
    }
    pages.post(`${connect}/logout/confirm`, forward);

    const signInPage = '/realms/:realm/login-actions/authenticate/:uid';
    pages.get(signInPage, { exposeHeadRoute: false }, async (request, reply) => {
      const signIn = await pending(request, reply);
      if (signIn === undefined) return answerPage(reply, 400, SIGN_IN_IS_OVER);
      const open = await findRealm(request);
      return answerPage(reply, 200, formPage(open, signIn, { username: signIn.loginHint ?? '' }));
    });
    pages.post(signInPage, async (request, reply) => {
      const signIn = await pending(request, reply);
      if (signIn === undefined) return answerPage(reply, 400, SIGN_IN_IS_OVER);
      const open = await findRealm(request);
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      if (form.has('other')) {
        const whole = { ...signIn, again: undefined };
        return answerPage(reply, 200, formPage(open, whole, { username: '' }));
      }
      const username = form.get('username') ?? '';
      const user = open.users.signedIn(username, form.get('password') ?? '');
      if (user === undefined) {
        const refusal = 'Invalid username or password.';
        const again = username === signIn.again?.username ? signIn.again : undefined;
        return answerPage(reply, 400, formPage(open, { ...signIn, again }, { username, refusal }));
      }
      const goOn = await signIn.complete(user);
      return goOn === undefined
        ? answerPage(reply, 400, SIGN_IN_IS_OVER)
        : reply.headers({ 'cache-control': 'no-store' }).redirect(goOn, 303);
    });
  });

  return async (
    request: FastifyRequest,
    open: OpenRealm,
    form: URLSearchParams,
  ): Promise<TokenAnswer> => {
    const { status, body } = await passOn(await providerOf(open), request, form);
    return { status, body: JSON.parse(body.toString('utf8')) as object };
  };
}

const SIGN_IN_IS_OVER = messagePage(
  'This sign-in is over',
  'It has expired, was finished already, or began in another browser. Go back to the application and sign in again.',
);

/** Opens a realm's provider when it is used first, because loading the library takes a third of a second. */
function loginProviders({ partyIdOf, log }: LoginOptions) {
  const opened = new Map<string, Promise<LoginProvider>>();
  const onBug = (error: unknown) => log({ surface: 'auth', level: 'error', reason: 'bug', error });
  const openOne = async (open: OpenRealm): Promise<LoginProvider> => {
    const { openLoginProvider } = await import('./login-provider.ts');
    return openLoginProvider(open, { partyIdOf, onBug });
  };
  return (open: OpenRealm): Promise<LoginProvider> => {
    const known = opened.get(open.issuer);
    if (known !== undefined) return known;
    const opening = openOne(open);
    opened.set(open.issuer, opening);
    // If opening fails, the next request tries again.
    opening.catch(() => opened.delete(open.issuer));
    return opening;
  };
}

/** Headers that belong to one connection, or that are computed again for the request within the process. */
const NOT_PASSED_ON = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

interface PassedOn {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: Buffer;
}

/**
 * Lets the provider answer a request within this process. The provider uses its own web framework; limits, origins and
 * errors are handled by this server.
 *
 * @param form replaces the body. It stands for a client whose authentication this server has checked
 */
async function passOn(
  provider: LoginProvider,
  request: FastifyRequest,
  form?: URLSearchParams,
): Promise<PassedOn> {
  const body = form ?? (request.body instanceof URLSearchParams ? request.body : undefined);
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(
      ([name]) => !NOT_PASSED_ON.has(name) && !(form !== undefined && name === 'authorization'),
    ),
  );
  const answer = await inject(provider.handle, {
    method: request.method as 'GET' | 'POST',
    url: request.url,
    headers,
    ...(body === undefined ? {} : { payload: body.toString() }),
  });
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(
      Object.entries(answer.headers).flatMap(([name, value]) =>
        value === undefined || NOT_PASSED_ON.has(name)
          ? []
          : [[name, typeof value === 'number' ? String(value) : value]],
      ),
    ),
    body: answer.rawPayload,
  };
}

const formPage = (
  { realm }: OpenRealm,
  { clientId, again }: PendingSignIn,
  typed: { readonly username: string; readonly refusal?: string },
): string =>
  signInPage({
    realmName: realm.name,
    clientId,
    usernames: realm.users.map(({ username }) => username),
    demoPassword: PUBLIC_DEMO_PASSWORD,
    again: again?.username,
    ...typed,
  });

const answerPage = (reply: FastifyReply, status: number, html: string): FastifyReply =>
  reply.code(status).headers(PAGE_HEADERS).send(html);

class UnreadableRequest extends Error {
  override readonly name = 'UnreadableRequest';
  readonly statusCode = 400;
}

function answerPageError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): FastifyReply {
  if (error instanceof UnknownRealm) {
    return answerPage(reply, 404, messagePage('Not found', 'There is no such realm.'));
  }
  const { statusCode, message } = error as { statusCode?: number; message: string };
  if (statusCode !== undefined && statusCode < 500) {
    return answerPage(reply, statusCode, messagePage('That did not work', `${message}.`));
  }
  log({ surface: 'auth', path: pathOf(request), level: 'error', reason: 'bug', error });
  return answerPage(reply, 500, messagePage('That did not work', 'Internal error.'));
}
