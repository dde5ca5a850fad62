import { expect, test } from 'vitest';
import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import type { Followed, Store, Tx } from '../../../src/app/ports/transaction.ts';
import { UPDATES_STREAM, completionsStream } from '../../../src/app/ports/streams.ts';
import type {
  ChangeRequest,
  RequestChangeDeps,
} from '../../../src/app/engine/requests/change-request.ts';
import { requestChange } from '../../../src/app/engine/requests/request-change.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import type { Change } from '../../../src/domain/change.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { LaneId, ParticipantName, UpdateId } from '../../../src/domain/ids.ts';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import * as rows from '../../kit/store-rows.ts';

const PARTICIPANT = trusted<ParticipantName>('app-provider');
const OTHER = trusted<ParticipantName>('app-user');
const active = rows.lifecycle({ kind: 'install', state: 'active' });

const caller: Caller = {
  party: active.provider,
  roles: new Set(['provider']),
  via: 'bearer',
  tenantId: 'a-tenant',
  subject: 'somebody',
  name: 'somebody',
};
const request: ChangeRequest = {
  operation: 'cancel-install',
  target: active.contractId,
  commandId: trusted('cancel-1'),
  body: {},
};

/**
 * Returns dependencies with a store that contains one lifecycle, as it is when its lane has been locked. `known`
 * contains the answers to look-ups by command ID, in order.
 */
function depsWith(
  lifecycle: Lifecycle,
  known: (Change | null)[],
  saved: Change[] = [],
  through = PARTICIPANT,
  seen: Partial<Followed> = {},
) {
  const tx = {
    changeByCommand: () => Promise.resolve(known.shift() ?? null),
    findLifecycle: () => Promise.resolve(active),
    lock: ([lane]: readonly LaneId[]) =>
      Promise.resolve({
        mailboxes: [{ lane, head: null, nextNo: 1, waiting: 0 }],
        lifecycles: [lifecycle],
        heads: [],
      }),
    followed: () =>
      Promise.resolve({
        cursors: new Map([
          [UPDATES_STREAM, 6n],
          [completionsStream(PARTICIPANT), 7n],
          [completionsStream(OTHER), 9n],
        ]),
        ledgerTime: null,
        foreign: [],
        replaying: new Set(),
        tombstones: [],
        ...seen,
      }),
    save: async ({ changes }: { readonly changes: readonly Change[] }) => {
      saved.push(...changes);
    },
  } as unknown as Tx;
  const clock = {
    nowMs: () => Date.now(),
    pastMs: () => Date.now(),
    provenMs: () => Date.now(),
    certainMs: () => Date.now(),
    ask: () => undefined,
    refresh: () => Promise.resolve(),
    observe: () => undefined,
  };
  const deps: RequestChangeDeps = {
    store: {
      transact: (_io: unknown, work: (given: Tx) => unknown) => work(tx),
    } as unknown as Store,
    hosting: {
      provider: active.provider,
      projected: PARTICIPANT,
      submitterFor: (actAs) =>
        Promise.resolve({ participant: through, ledgerUser: 'backend', actAs }),
    },
    model: NEWEST_MODEL,
    wallClock: clock,
    ledgerClock: clock,
  };
  return deps;
}

const ended: Lifecycle = { ...active, state: 'cancelled', endedAt: '2026-01-01T00:00:00.000000Z' };

// Found by the simulation: a caller sent one request twice at the same time, and was told that the lifecycle had ended.
// Its own first request had ended the lifecycle.
test('who waited for the lane behind the same command gets what was recorded, not the refusal that it caused', async () => {
  const saved: Change[] = [];
  await requestChange(depsWith(active, [], saved), caller, request, rows.io());
  const [first] = saved;
  expect(first).toMatchObject({ commandId: 'cancel-1', state: 'submitting' });
  const again = await requestChange(depsWith(ended, [null, first!]), caller, request, rows.io());
  expect(again).toEqual({ change: first, replayed: true });
  const otherwise = { ...request, body: { meta: { data: { a: 'b' } } } };
  await expect(
    requestChange(depsWith(ended, [null, first!]), caller, otherwise, rows.io()),
  ).rejects.toMatchObject({ details: { code: 'COMMAND_ID_REUSED' } });
  await expect(
    requestChange(depsWith(ended, []), caller, request, rows.io()),
  ).rejects.toMatchObject({ details: { code: 'LIFECYCLE_ENDED' } });
});

test.each([
  [PARTICIPANT, 7n],
  [OTHER, 9n],
])(
  'a change through %s is deduplicated from where its own completions stand',
  async (through, at) => {
    const saved: Change[] = [];
    await requestChange(depsWith(active, [], saved, through), caller, request, rows.io());
    expect(saved).toMatchObject([{ deduplicationOffset: at, submitter: { participant: through } }]);
  },
);
test('a command whose operation is lost is answered with its update, whether or not it could be done again', async () => {
  const tombstone = {
    commandId: request.commandId,
    actAs: [active.provider],
    updateId: trusted<UpdateId>('update-7'),
  };
  for (const lifecycle of [active, ended]) {
    const deps = depsWith(lifecycle, [], [], PARTICIPANT, { tombstones: [tombstone] });
    await expect(requestChange(deps, caller, request, rows.io())).rejects.toMatchObject({
      details: { code: 'COMMAND_TOOK_EFFECT', extra: { updateId: 'update-7' } },
    });
  }
  // The same command ID of another party belongs to another command.
  const others = { tombstones: [{ ...tombstone, actAs: [active.appUser] }] };
  const saved: Change[] = [];
  await requestChange(depsWith(active, [], saved, PARTICIPANT, others), caller, request, rows.io());
  expect(saved).toHaveLength(1);
});

test('nothing is accepted, and nothing refused for good, while the ledger is read again', async () => {
  for (const lifecycle of [active, ended]) {
    const deps = depsWith(lifecycle, [], [], PARTICIPANT, { replaying: new Set([UPDATES_STREAM]) });
    await expect(requestChange(deps, caller, request, rows.io())).rejects.toMatchObject({
      details: { code: 'STORE_NOT_READY', status: 503 },
    });
  }
});
