import { describe, expect, test } from 'vitest';
import { originParts } from '../../../src/domain/automatic.ts';
import { APP_INSTALL } from '../../../src/domain/licensing.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { Evidence } from '../../../src/doctor/invariants/evidence.ts';
import {
  CONTRACTS,
  expire,
  instant,
  ledgerOf,
  sound,
  told,
  withChange,
} from '../../kit/evidence.ts';
import { created, lifecycle } from '../../kit/store-rows.ts';

/*
 * Every act that a policy must never perform, and every decision that a person must not make. The tests add each of
 * them to the evidence, and the doctor must report it.
 */

const MINUTE_MS = 60_000;
const origin = {
  name: 'expiry',
  version: 1,
  reason: 'it lapsed',
  lapsesAt: instant(15),
  graceMs: 0,
} as const;

/** Returns evidence in which a policy ended the licence at 16 minutes. The licence had lapsed at 15. */
const byPolicy = (over: Partial<Change>): Evidence =>
  withChange(sound, expire.id, (entry) => ({ ...entry, change: { ...expire, ...over } }));

describe('I12', () => {
  test('an expiry of a policy for the lapse of its contract, with its grace, breaks nothing', () => {
    expect(told(byPolicy({ fixed: originParts(origin) }), 'I12')).toEqual([]);
    const graced = { ...origin, graceMs: MINUTE_MS };
    expect(told(byPolicy({ fixed: originParts(graced) }), 'I12')).toEqual([]);
  });

  test('an expiry that was decided for another lapse than that of the contract that it ended', () => {
    const fixed = originParts({ ...origin, lapsesAt: instant(10) });
    const sentence = `expire-license expire, requested by a policy, was decided for the expiry time ${instant(10)}, but ended a contract with the expiry time ${instant(15)}`;
    expect(told(byPolicy({ fixed }), 'I12')).toEqual([sentence]);
    // The rows of the store are sufficient for this; the ledger is not needed.
    expect(told({ ...byPolicy({ fixed }), ledger: null }, 'I12')).toEqual([sentence]);
  });

  test('an expiry within the grace', () => {
    const graced = (graceMs: number) =>
      told(byPolicy({ fixed: originParts({ ...origin, graceMs }) }), 'I12');
    expect(graced(10 * MINUTE_MS)).toEqual([
      `expire-license expire, requested by a policy, ended its licence at ${instant(16)}, within the grace period, which ends at ${instant(25)}`,
    ]);
    expect(graced(MINUTE_MS + 1)).toHaveLength(1);
  });

  test('what was recorded before lapses were kept is judged by its command ID', () => {
    const commandId = (lapsesAt: string) =>
      trusted<Change['commandId']>(
        `tenure:expire:${expire.lifecycleId}:${lapsesAt.replace('.', '_')}:0`,
      );
    const fixed = { policy: { name: 'expiry', version: 1, reason: 'it lapsed' } };
    expect(told(byPolicy({ fixed, commandId: commandId(instant(15)) }), 'I12')).toEqual([]);
    expect(told(byPolicy({ fixed, commandId: commandId(instant(10)) }), 'I12')).toEqual([
      expect.stringContaining(`was decided for the expiry time ${instant(10)}`),
    ]);
    expect(told(byPolicy({ fixed }), 'I12')).toEqual([
      expect.stringContaining('records no expiry time'),
    ]);
  });
});

describe('I13', () => {
  const ended = (id: string) => sound.lifecycles.find(({ lifecycle: of }) => of.contractId === id)!;

  test('a lifecycle that has ended although its contract is active in the store', () => {
    const spoiled = {
      ...sound,
      contracts: sound.contracts.map((row) =>
        row.contractId === CONTRACTS.license2 ? { ...row, archived: null } : row,
      ),
    };
    const { lifecycle: of } = ended(CONTRACTS.license2);
    expect(told(spoiled, 'I13')).toEqual([
      `lifecycle ${of.id} ended as expired, but its contract ${CONTRACTS.license2} is active in the query store`,
    ]);
  });

  test('a lifecycle that has ended although the participant calls its contract active', () => {
    const spoiled: Evidence = {
      ...ledgerOf(() => ({
        active: [
          {
            created: created(lifecycle(), {
              contractId: CONTRACTS.install2,
              template: APP_INSTALL,
              nodeId: 0,
              payload: {},
            }),
            createdAt: instant(10),
            createdAtOffset: 10n,
          } as never,
        ],
      })),
      contracts: [],
      lifecycles: sound.lifecycles.map((entry) =>
        entry.lifecycle.contractId === CONTRACTS.install2
          ? { ...entry, lifecycle: { ...entry.lifecycle, state: 'gone', endedAt: instant(12) } }
          : entry,
      ),
    };
    expect(told(spoiled, 'I13')).toEqual([
      expect.stringMatching(/ended as gone, but its contract 002+ is active on the ledger$/u),
    ]);
  });
});
