import { describe, expect, test } from 'vitest';
import { begin } from '../../../src/app/engine/lanes/lane.ts';
import { applyFact } from '../../../src/app/engine/lanes/lifecycles.ts';
import { factsOf } from '../../../src/app/engine/lanes/facts.ts';
import { prepareCommand } from '../../../src/app/engine/attempts/prepare-command.ts';
import { WorkingSet } from '../../../src/app/engine/lanes/working-set.ts';
import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { ContractId, LifecycleId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { APP_INSTALL, LICENSE, LICENSE_RENEWAL_REQUEST } from '../../../src/domain/licensing.ts';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import { change, io, lifecycle, newLane } from '../../kit/store-rows.ts';
import { PROVIDER, contractId, created, exercised, transaction } from './made.ts';

/*
 * Two licences with the same number. The engine finds the licence of a renewal by the renewal's origin, and never by
 * the number in its contract.
 */

const TIMES = {
  now: '2026-01-01T00:00:00.000Z',
  ledgerNowMs: Date.UTC(2026, 0, 1),
  ledgerCertainMs: Date.UTC(2026, 0, 1),
};

/** Returns the contract ID with this number. The first digits of contract IDs with different numbers differ. */
const cid = (n: number): ContractId => trusted(`00${String(n).repeat(64)}`);

/** A lane in which there are two licences. */
const LANE = newLane();
const license = (): Lifecycle => lifecycle({ kind: 'license', lane: LANE, context: {} });
const renewal = (originId: LifecycleId | null): Lifecycle =>
  lifecycle({
    kind: 'renewal',
    state: 'requested',
    lane: LANE,
    originId,
    context: { settleBefore: '2026-02-01T00:00:00Z' },
  });

function locked(...lifecycles: readonly Lifecycle[]): WorkingSet {
  const ws = new WorkingSet(NEWEST_MODEL);
  ws.add({ mailboxes: [], lifecycles, heads: [] });
  return ws;
}

const completion = (of: Lifecycle, licenseId: LifecycleId): Change =>
  change({
    operation: 'complete-renewal',
    lane: LANE,
    lifecycleId: of.id,
    body: { allocationContractId: contractId(9) },
    fixed: { licenseId },
  });

describe('a renewal', () => {
  test('is never completed on another licence than its own, also where it was queued so', () => {
    const [own, another] = [license(), license()];
    const of = renewal(own.id);
    const ws = locked(own, another, of);
    expect(begin(ws, completion(of, another.id), TIMES)).toMatchObject({
      code: 'LICENSE_MISMATCH',
      extra: { originId: own.id },
    });
    expect(ws.writes()).toMatchObject({ lifecycles: [], changes: [], history: [] });
    expect(begin(ws, completion(of, own.id), TIMES)).toBeNull();
  });

  test('without a licence has the one of its first completion, for good', () => {
    const [chosen, another] = [license(), license()];
    const of = renewal(null);
    const ws = locked(chosen, another, of);
    const first = completion(of, chosen.id);
    expect(begin(ws, first, TIMES)).toBeNull();
    expect(ws.writes()).toMatchObject({
      lifecycles: [{ id: of.id, originId: chosen.id, version: 2 }],
      timerLanes: [LANE],
    });
    ws.putMailbox({ ...ws.mailbox(LANE), head: null });
    const refused = begin(ws, completion(of, another.id), TIMES);
    expect(refused).toMatchObject({ code: 'LICENSE_MISMATCH' });
  });

  test('that was begun on another licence is not sent', async () => {
    const [own, another] = [license(), license()];
    const of = renewal(own.id);
    const asked = { change: completion(of, another.id), lifecycle: of, through: another };
    const never = (): never => {
      throw new Error('nobody is asked');
    };
    const deps = {
      model: NEWEST_MODEL,
      judge: never,
      registry: { settlementContext: never, instrumentAdmin: never },
    };
    expect(await prepareCommand(deps, asked, io())).toMatchObject({
      class: 'refused',
      code: 'LICENSE_MISMATCH',
      text: 'not sent',
    });
  });

  test.each([
    ['its own is open', (own: Lifecycle) => own.id, 'STEP_NOT_ALLOWED'],
    ['one of another licence is open', () => license().id, undefined],
    ['one of no known licence is open', () => null, undefined],
  ] as const)('is offered on a licence while %s', (_what, originOf, code) => {
    const own = license();
    const ws = locked(own, renewal(originOf(own)));
    const asked = change({ operation: 'renew-license', lane: LANE, lifecycleId: own.id, body: {} });
    expect(begin(ws, asked, TIMES)?.code).toBe(code);
  });

  test('has the lane of the licence on whose contract it was made, and a licence one of its own', () => {
    const install = lifecycle({ kind: 'install', contractId: cid(1), state: 'active' });
    const ws = locked(install);
    const payload = { provider: 'p', user: 'u', licenseNum: '1' };
    const apply = (events: Parameters<typeof transaction>[0]) => {
      const update = transaction(
        events.map((event) => ({ ...event, contractId: cid(Number(event.contractId)) })),
      );
      for (const fact of factsOf(NEWEST_MODEL, update, new Set([PROVIDER]))) {
        applyFact(ws, fact, update);
      }
    };
    apply([
      exercised(APP_INSTALL, 0, 2, 1, 'AppInstall_CreateLicense'),
      created(LICENSE, 1, 2, { ...payload, expiresAt: '2026-01-01T00:00:00Z' }),
      created(APP_INSTALL, 2, 3, { provider: 'p', user: 'u', numLicensesCreated: '1' }),
    ]);
    const made = ws.lifecycleOfContract(cid(2));
    expect(made).toMatchObject({ originId: null, lane: made?.id });
    const request = { ...payload, settleBefore: '2026-02-01T00:00:00Z', requestId: 'r' };
    apply([
      { ...exercised(LICENSE, 0, 1, 2, 'License_Renew'), consuming: false },
      created(LICENSE_RENEWAL_REQUEST, 1, 4, request),
    ]);
    apply([created(LICENSE_RENEWAL_REQUEST, 0, 5, request)]);
    const [own, stray] = [4, 5].map((n) => ws.lifecycleOfContract(cid(n)));
    expect(own).toMatchObject({ originId: made?.id, lane: made?.id });
    expect(stray).toMatchObject({ originId: null, lane: stray?.id });
  });
});
