import { expect, test } from 'vitest';
import type { ChangeRequest } from '../../src/app/engine/requests/change-request.ts';
import { requestChange } from '../../src/app/engine/requests/request-change.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { ParticipantName, Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { HttpDeps } from '../../src/http/kit/deps.ts';
import type { TestApi } from '../kit/http-api.ts';
import { IO, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { startPopulated } from '../kit/http-refusals.ts';
import { PARTICIPANT } from '../kit/ledger-stand-in.ts';

/* One command ID belongs to one change, no matter which ledger rights the called processes know. */

const SECOND = trusted<ParticipantName>('app-user');

/**
 * Returns the dependencies of a process that has read that this participant hosts all parties, for this ledger user.
 */
const hostedOn = (participant: ParticipantName, ledgerUser: string): Pick<HttpDeps, 'hosting'> => ({
  hosting: {
    provider: PROVIDER,
    projected: PARTICIPANT,
    submitterFor: async (actAs) => ({ participant, ledgerUser, actAs }),
  },
});

const callerOf = (party: Party): Caller => ({
  party,
  roles: new Set(['user']),
  via: 'bearer',
  tenantId: 'AppUser',
  subject: 'somebody',
  name: 'somebody',
});

const requestOf = (commandId: string): ChangeRequest => ({
  operation: 'request-install',
  target: null,
  commandId: trusted(commandId),
  body: { provider: PROVIDER, meta: { data: {} } },
});

/** Makes the store follow the second participant, too. */
async function followBoth(api: TestApi): Promise<void> {
  await api.pool.query(
    `insert into query_store_offset (stream, oldest_offset, "offset")
     select 'completions:app-user', oldest_offset, "offset" from query_store_offset where stream = $1`,
    [`completions:${PARTICIPANT}`],
  );
}

const WAYS = [
  hostedOn(PARTICIPANT, 'backend'),
  hostedOn(SECOND, 'backend'),
  hostedOn(PARTICIPANT, 'rotated'),
];

test('another process, with other rights, answers with what was recorded', async () => {
  await using api = await startApi();
  await followBoth(api);
  const made = [];
  for (const way of WAYS) {
    made.push(await requestChange({ ...api.deps, ...way }, callerOf(USER), requestOf('one-1'), IO));
  }
  expect(made.map(({ replayed }) => replayed)).toEqual([false, true, true]);
  expect(new Set(made.map(({ change }) => change.id)).size).toBe(1);
  expect(made[2]?.change.submitter).toEqual({
    participant: PARTICIPANT,
    ledgerUser: 'backend',
    actAs: USER,
  });
  expect(await api.changes()).toBe(1);
});

test('processes with other rights that are asked at the same moment record one change', async () => {
  await using api = await startApi();
  await followBoth(api);
  for (let round = 0; round < 8; round += 1) {
    const made = await Promise.all(
      [...WAYS, ...WAYS].map((way) =>
        requestChange({ ...api.deps, ...way }, callerOf(USER), requestOf(`at-once-${round}`), IO),
      ),
    );
    expect(made.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(made.map(({ change }) => change.id)).size).toBe(1);
  }
  expect(await api.changes()).toBe(8);
});

test.each([
  ['hosts nobody of ours any more', async () => null],
  ['cannot be asked', () => Promise.reject(new Error('14 UNAVAILABLE'))],
])(
  'who repeats a command whose participant %s is answered from the record',
  async (_, submitterFor) => {
    await using api = await startApi();
    const ask = (commandId: string, over: Partial<HttpDeps['hosting']> = {}) =>
      requestChange(
        { ...api.deps, hosting: { ...api.deps.hosting, ...over } },
        callerOf(USER),
        requestOf(commandId),
        IO,
      );
    const first = await ask('gone-1');
    const again = await ask('gone-1', { submitterFor });
    expect(again).toEqual({ change: first.change, replayed: true });
    await expect(ask('gone-2', { submitterFor })).rejects.toThrow(/no configured|UNAVAILABLE/u);
    expect(await api.changes()).toBe(1);
  },
);

test('another caller does not get a command ID of the same acting party by way of another participant', async () => {
  const { api, install } = await startPopulated();
  await using _ = api;
  await followBoth(api);
  const cancel = (caller: Caller, way: Pick<HttpDeps, 'hosting'>) =>
    requestChange(
      { ...api.deps, ...way },
      caller,
      { operation: 'cancel-install', target: install, commandId: trusted('cancel-1'), body: {} },
      IO,
    );
  await cancel(callerOf(PROVIDER), hostedOn(PARTICIPANT, 'backend'));
  for (const way of WAYS) {
    await expect(cancel(callerOf(USER), way)).rejects.toMatchObject({
      details: { code: 'COMMAND_ID_TAKEN' },
    });
  }
});
