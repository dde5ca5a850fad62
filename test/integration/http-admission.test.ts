import { Agent, request } from 'node:http';
import { expect, test } from 'vitest';
import { Admission } from '../../src/http/kit/admission.ts';
import { OTHER_USER, USER, startApi } from '../kit/http-api.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/* More callers at the same time than the server can answer in time. A call that is refused records nothing. */

interface Answer {
  readonly commandId: string;
  readonly status: number;
  readonly code: string;
  readonly retryAfter: string | undefined;
}

const CALLERS = 2_000;

const asking = (port: string, authorization: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  return (commandId: string): Promise<Answer> =>
    new Promise((resolve) => {
      const path = `/app-install-requests?commandId=${commandId}`;
      const headers = { authorization, prefer: 'wait=0' };
      const asked = request({ port, path, method: 'POST', agent, headers }, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (text: string) => (body += text));
        answer.on('end', () => {
          const { code = '' } = JSON.parse(body) as { code?: string };
          const { statusCode: status = 0, headers: told } = answer;
          resolve({ commandId, status, code, retryAfter: told['retry-after'] });
        });
      });
      // On a busy machine a connection may be closed before its headers are read, so the caller gets no answer.
      const nobody = { commandId, status: 0, code: '', retryAfter: undefined };
      asked.on('error', () => resolve(nobody)).end();
    });
};

test('of two thousand callers at once, those who are accepted are answered and the rest can come back', async () => {
  await using api = await startApi();
  const { port } = new URL(await api.app.listen({ host: '127.0.0.1', port: 0 }));
  const ask = asking(port, await api.as(USER));
  const recorded = async (): Promise<Set<string>> => {
    const { rows } = await api.pool.query<{ id: string }>('select command_id as id from change');
    return new Set(rows.map(({ id }) => id));
  };
  const ids = Array.from({ length: CALLERS }, (_, n) => `many-${n}`);

  const answers = await Promise.all(ids.map(ask));
  const there = await recorded();
  const outcomes = new Set<string>();
  for (const { commandId, status, code, retryAfter } of answers) {
    outcomes.add(`${status} ${code} ${Number(retryAfter) > 0 ? 'later' : ''}`);
    if (status === 202) expect(there).toContain(commandId);
    if (status >= 400) expect(there).not.toContain(commandId);
  }
  expect(outcomes).toContain('202  ');
  expect([...outcomes].toSorted().join()).toMatch(/^(0 {2},)?202 {2}(,503 OVERLOADED later)?$/u);

  // A caller that was refused and repeats its request with the same command ID gets the result.
  const deadlineMs = performance.now() + PATIENCE_MS;
  const rest = ids.filter((id) => !there.has(id));
  for (let left = rest; left.length > 0;) {
    expect(performance.now()).toBeLessThan(deadlineMs);
    const again = await Promise.all(left.slice(0, 100).map(ask));
    const done = new Set(again.flatMap(({ status, commandId: id }) => (status === 202 ? id : [])));
    left = left.filter((id) => !done.has(id));
  }
  expect((await recorded()).size).toBe(CALLERS);
});

test('beside a tenant that writes, another one has a bounded number of changes in progress', async () => {
  const [atOnce, awaitedMax, count] = [4, 6, 40];
  const admission = new Admission({ atOnce, awaitedMax, waitMsMax: PATIENCE_MS });
  // Nothing follows the ledger yet, so no change ends.
  await using api = await startApi(() => ({ admission }));
  const write = (authorization: string, commandId: string, prefer: string) =>
    api.app.inject({
      method: 'POST',
      url: `/app-install-requests?commandId=${commandId}`,
      headers: { authorization, prefer },
    });
  const recorded = async (like: string): Promise<number> => {
    const sql = 'select count(*)::int as count from change where command_id like $1';
    return (await api.pool.query<{ count: number }>(sql, [like])).rows[0]?.count ?? 0;
  };
  const [greedy, modest] = [await api.as(OTHER_USER), await api.as(USER)];
  const alone = Array.from({ length: count }, (_, n) => write(greedy, `alone-${n}`, 'wait=1'));
  await expect.poll(() => recorded('alone-%'), { timeout: PATIENCE_MS }).toBe(count);
  await Promise.all(alone);

  expect((await write(modest, 'modest-first', 'wait=0')).statusCode).toBe(202);
  const flood = Array.from({ length: count }, (_, n) => write(greedy, `flood-${n}`, 'wait=60'));
  const beganMs = performance.now();
  for (let n = 0; performance.now() - beganMs < 1_000; n += 1) {
    expect((await write(modest, `modest-${n}`, 'wait=0')).statusCode).toBe(202);
    expect(await recorded('flood-%')).toBeLessThanOrEqual(awaitedMax + atOnce);
  }
  // The other callers are served when the first callers have their answers.
  const following = api.ledger.follow();
  for (const { statusCode } of await Promise.all(flood)) expect(statusCode).toBe(201);
  await following.stop();
});
