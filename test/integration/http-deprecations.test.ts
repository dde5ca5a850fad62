import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEPRECATED_AT, RENAMED_PARAMETERS, SUNSET_AT } from '../../src/domain/renamed.ts';
import { forFile } from '../kit/for-file.ts';
import { startApi } from '../kit/http-api.ts';
import { asOperator } from '../kit/http-ops.ts';

/*
 * Old names of parameters and addresses. They are answered like the new ones, and announced as deprecated in the way
 * that docs/VERSIONING.md describes.
 */

interface Operation {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly { readonly name: string; readonly deprecated?: boolean }[];
}

const api = await forFile(startApi());
const authorization = await asOperator(api);
const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

const get = (url: string) => api.app.inject({ method: 'GET', url, headers: { authorization } });
const post = (url: string, payload: object) =>
  api.app.inject({ method: 'POST', url, headers: { authorization }, payload });

type Reply = Awaited<ReturnType<typeof get>>;

const ANNOUNCED = {
  deprecation: `@${Date.parse(DEPRECATED_AT) / 1_000}`,
  sunset: new Date(SUNSET_AT).toUTCString(),
};
const isAnnounced = ({ headers }: Reply): boolean =>
  headers['deprecation'] === ANNOUNCED.deprecation &&
  headers['sunset'] === ANNOUNCED.sunset &&
  /<\/docs>; rel="deprecation"/u.test(String(headers['link']));

/** Example values of parameters, by the parameters' new names. */
const VALUES: Readonly<Record<string, string>> = {
  since: 'P1D',
  until: 'PT1H',
  subject: 'nobody',
  groupBy: 'month',
};

const READS = RENAMED_PARAMETERS.flatMap(({ was, is, values, on }) =>
  on
    .filter((path) => !path.endsWith('/preview'))
    .map((path) => {
      const [old, now] = Object.entries(values ?? {})[0] ?? [VALUES[is], VALUES[is]];
      return { path, was: `${was}=${old}`, is: `${is}=${now}`, name: was };
    }),
);

describe.each(READS)('$path?$was', ({ path, was, is, name }) => {
  test('is answered as the new name is, and announces its end', async () => {
    const [old, now] = await Promise.all([get(`${path}?${was}`), get(`${path}?${is}`)]);
    expect([now.statusCode, old.statusCode]).toEqual([200, 200]);
    expect(old.json()).toEqual(now.json());
    expect([isAnnounced(old), isAnnounced(now)]).toEqual([true, false]);
    const parameter = paths[path]?.['get']?.parameters?.find((one) => one.name === name);
    expect(parameter).toMatchObject({ deprecated: true });
  });

  test('is refused beside the new name', async () => {
    const both = await get(`${path}?${was}&${is}`);
    expect([both.statusCode, both.json().field]).toEqual([400, name]);
  });
});

test('the filter of an act on many operations takes the old names too', async () => {
  const asked = { action: 'retry', reason: 'try', filter: { olderThan: 'PT1H', by: 'nobody' } };
  const old = await post('/ops/operations/preview', asked);
  expect([old.statusCode, old.json().count, isAnnounced(old)]).toEqual([200, 0, true]);
  const filter = { until: 'PT1H', subject: 'nobody' };
  const now = await post('/ops/operations/preview', { ...asked, filter });
  expect([now.statusCode, isAnnounced(now)]).toEqual([200, false]);
  const unknown = await post('/ops/operations/preview', { ...asked, filter: { older: 'PT1H' } });
  expect(unknown.statusCode).toBe(400);
});

test.each(['/ops/commands', '/api/ops/commands?limit=1', '/ops/commands/counts'])(
  '%s is the old address of operations',
  async (url) => {
    const reply = await get(url);
    expect([reply.statusCode, isAnnounced(reply)]).toEqual([200, true]);
    expect(isAnnounced(await get(url.replace('commands', 'operations')))).toBe(false);
  },
);

test('both forms of an action are found at the old address', async () => {
  for (const action of [':preview', '/preview', '%3Apreview']) {
    const asked = { action: 'retry', reason: 'try', filter: { failure: '0123456789abcdef' } };
    const reply = await post(`/ops/commands${action}`, asked);
    expect([action, reply.statusCode, isAnnounced(reply)]).toEqual([action, 200, true]);
  }
});

test('the document has every old address beside the new one, with the operation ID that it had', () => {
  const old = Object.entries(paths).filter(([path]) => path.startsWith('/ops/commands'));
  expect(old.length).toBeGreaterThan(5);
  for (const [path, operations] of old) {
    const now = paths[path.replace('commands', 'operations')] ?? {};
    expect(Object.keys(operations)).toEqual(Object.keys(now));
    for (const [method, { operationId, deprecated }] of Object.entries(operations)) {
      expect(deprecated).toBe(true);
      expect(operationId).toBe(now[method]?.operationId.replace('OpsOperation', 'OpsCommand'));
    }
  }
});
