import { afterEach, beforeEach, expect } from 'vitest';
import type { ProblemCode } from '../../src/domain/problems.ts';
import { PROBLEMS } from '../../src/domain/problems.ts';
import type { TestApi } from './http-api.ts';
import { PROVIDER, USER, startApi } from './http-api.ts';
import type { Ask } from './http-ask.ts';
import { asking } from './http-ask.ts';

/** A server with one contract of each kind, whose ledger executes no commands. */
export interface Populated extends AsyncDisposable {
  readonly api: TestApi;
  readonly address: string;
  readonly provider: Ask;
  readonly user: Ask;
  /** The contract IDs. */
  readonly install: string;
  readonly license: string;
  /** An install request that has not been answered. */
  readonly open: string;
}

export async function startPopulated(): Promise<Populated> {
  const api = await startApi();
  const [provider, user] = await Promise.all([asking(api, PROVIDER), asking(api, USER)]);
  const following = api.ledger.follow();
  const made = await user.post('/app-install-requests?commandId=request-1');
  const accepted = await provider.post(
    `/app-install-requests/${made.json().contractId}:accept?commandId=accept-1`,
    { installMeta: {} },
  );
  const created = await provider.post(
    `/app-installs/${accepted.json().contractId}:create-license?commandId=create-1`,
    { params: {} },
  );
  const open = await user.post('/app-install-requests?commandId=request-2');
  await following.stop();
  return {
    api,
    address: await api.app.listen({ host: '127.0.0.1', port: 0 }),
    provider,
    user,
    install: created.json().installId,
    license: created.json().licenseId,
    open: open.json().contractId,
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

const TABLES = ['change', 'effect', 'attempt', 'history', 'mailbox', 'lifecycle', 'lineage'];

/** Returns a text with everything in the database that a request could change. */
export async function traces(api: TestApi): Promise<string> {
  const found = await Promise.all(
    TABLES.map(async (table) => {
      const { rows } = await api.pool.query(
        `select count(*) as n, coalesce(sum(hashtext(t::text)), 0) as contents from ${table} t`,
      );
      return `${table} ${rows[0].n} ${rows[0].contents}`;
    }),
  );
  return found.join('\n');
}

export interface ExpectedProblem {
  readonly code: ProblemCode;
  readonly message: string;
  readonly extra?: object;
  readonly commandId?: string;
}

/** Checks that the reply is exactly this problem. */
export function expectProblem(
  reply: Awaited<ReturnType<Ask['get']>>,
  path: string,
  expected: ExpectedProblem,
): void {
  const { code, message, extra = {}, commandId } = expected;
  const { status, title, retryable } = PROBLEMS[code];
  expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect([reply.statusCode, reply.json()]).toEqual([
    status,
    {
      type: `${path.startsWith('/api/') ? '/api' : ''}/errors/${code.toLowerCase().replaceAll('_', '-')}`,
      title,
      status,
      detail: message,
      message,
      instance: path,
      code,
      retryable,
      traceId: reply.headers['trace-id'],
      ...(commandId === undefined ? {} : { commandId }),
      ...extra,
    },
  ]);
}

/** Checks after each test of the file that the test has changed nothing in the database. */
export function leavingNoTrace(api: TestApi): void {
  let before: string;
  beforeEach(async () => {
    before = await traces(api);
  });
  afterEach(async () => {
    if ((await traces(api)) !== before) throw new Error('a refused request has left a trace');
  });
}
