import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  actionEvent,
  actionOf,
  actionsFor,
  allowedNow,
} from '../../src/app/engine/lanes/allowed.ts';
import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import type { LifecycleView } from '../../src/app/ports/views.ts';
import { describe as describeKind, step } from './kit/machines.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { LaneId, LifecycleId, Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { JsonRecord } from '../../src/domain/json.ts';
import type { LicensingKind } from '../../src/domain/licensing.ts';
import type { Lifecycle } from '../../src/domain/lifecycle.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { isoAfter, isoToMs } from '../../src/domain/time.ts';
import { contractId } from '../unit/app/made.ts';
import { WALKS, isFinal, placesOf } from './kit/walks.ts';

const PROVIDER = trusted<Party>('provider::1220aa');
const USER = trusted<Party>('user::1220bb');
const STRANGER = trusted<Party>('stranger::1220cc');
type Who = 'provider' | 'user' | 'stranger';
const PARTIES: Readonly<Record<Who, Party>> = {
  provider: PROVIDER,
  user: USER,
  stranger: STRANGER,
};

/**
 * For each action, when it is permitted according to the contracts' own rules. This was written without reading the
 * machines.
 */
const MAY: Readonly<
  Record<LicensingKind, Readonly<Record<string, { who: readonly Who[]; in: readonly string[] }>>>
> = {
  'install-request': {
    accept: { who: ['provider'], in: ['requested'] },
    reject: { who: ['provider'], in: ['requested'] },
    cancel: { who: ['user'], in: ['requested'] },
  },
  install: {
    'create-license': { who: ['provider'], in: ['active'] },
    cancel: { who: ['provider', 'user'], in: ['active'] },
  },
  license: {
    expire: { who: ['provider', 'user'], in: ['active'] },
    renew: { who: ['provider'], in: ['active'] },
    comment: { who: ['provider', 'user'], in: ['active', 'renewing', 'expiring'] },
  },
  renewal: {
    complete: { who: ['provider'], in: ['requested'] },
    withdraw: { who: ['provider'], in: ['requested'] },
  },
};

interface Scene {
  readonly kind: LicensingKind;
  readonly state: string;
  readonly context: JsonRecord;
  readonly who: Who;
  readonly nowMs: number;
  /** The latest time that the ledger has reported. */
  readonly certainMs: number;
  /** The times at which the windows of the licence's renewals close. */
  readonly windows: readonly number[];
}

/** Returns whether the time and the open renewals permit the action. */
function isTime(name: string, { context, nowMs, certainMs, windows }: Scene): boolean {
  if (name === 'expire') return nowMs >= isoToMs(context['expiresAt'] as string);
  if (name === 'complete') return certainMs < isoToMs(context['settleBefore'] as string);
  if (name === 'renew') return windows.every((closesMs) => closesMs <= certainMs);
  return true;
}

const lifecycleOf = (
  kind: LicensingKind,
  { state, context }: Pick<Scene, 'state' | 'context'>,
  n = 1,
): Lifecycle => ({
  id: trusted<LifecycleId>(`${kind}-${n}`),
  kind,
  machineVersion: describeKind(kind).version,
  state,
  context,
  lane: trusted<LaneId>('lane'),
  originId: kind === 'renewal' ? trusted<LifecycleId>('license-1') : null,
  provider: PROVIDER,
  appUser: USER,
  contractId: contractId(n),
  licenseNum: null,
  expiresAt: null,
  version: 1,
  createdAt: '2026-01-01T00:00:00.000000Z',
  endedAt: isFinal(kind, state) ? '2026-01-02T00:00:00.000000Z' : null,
});

const viewOf = (scene: Scene): LifecycleView => ({
  lifecycle: lifecycleOf(scene.kind, scene),
  payload: {},
  renewals: scene.windows.map((closesMs, n) => ({
    lifecycle: lifecycleOf(
      'renewal',
      { state: 'requested', context: { settleBefore: isoAfter(closesMs) } },
      n + 2,
    ),
    payload: {},
    allocations: [],
    endedBy: null,
  })),
  allocations: [],
  endedBy: null,
});

const callerOf = (who: Who): Caller => ({
  party: PARTIES[who],
  roles: new Set(),
  via: 'bearer',
  tenantId: 't',
  subject: 's',
  name: 'n',
});

/** The times just before, at and just after each instant at which something changes. */
const instants = ['2026-01-01T00:00:00.000001Z', '2026-02-01T00:00:00.000001Z']
  .concat('2026-01-01T00:20:00.000001Z')
  .flatMap((iso) => [-1, -0.001, 0, 1].map((ms) => isoToMs(iso) + ms));

const scenes = fc
  .constantFrom(
    ...WALKS.flatMap((walk) =>
      placesOf(walk).map(({ state, context }) => ({ kind: walk.kind, state, context })),
    ),
  )
  .chain((place) =>
    fc.record({
      kind: fc.constant(place.kind),
      state: fc.constant(place.state),
      context: fc.constant(place.context),
      who: fc.constantFrom<Who>('provider', 'user', 'stranger'),
      nowMs: fc.constantFrom(...instants),
      certainMs: fc.constantFrom(...instants),
      windows: fc.array(fc.constantFrom(...instants), {
        maxLength: place.kind === 'license' ? 2 : 0,
      }),
    }),
  );

test('what a caller is told it may do is what the contracts let it do, and what the machine takes', () => {
  fc.assert(
    fc.property(scenes, (scene) => {
      const view = viewOf(scene);
      const { lifecycle } = view;
      const shown = actionsFor(view, callerOf(scene.who), scene, NEWEST_MODEL);
      const rules = MAY[scene.kind];
      expect(shown.map(({ name }) => name).sort()).toEqual(Object.keys(rules).sort());
      const { nowMs, certainMs } = scene;
      const around = view.renewals.map((renewal) => renewal.lifecycle);
      const now = { nowMs, certainMs, around, body: {} };
      for (const { name, allowed, reason } of shown) {
        const { who, in: states } = rules[name]!;
        const isPossible = states.includes(scene.state) && isTime(name, scene);
        expect(allowed, name).toBe(isPossible && who.includes(scene.who));
        expect(reason === undefined, `${name}: a reason where it is refused`).toBe(allowed);
        expect(allowedNow(NEWEST_MODEL, lifecycle, now).includes(name), name).toBe(isPossible);
        const taken = step(
          scene.kind,
          lifecycle,
          actionEvent(actionOf(NEWEST_MODEL, lifecycle, name), 'c', now),
        );
        expect(taken !== null, name).toBe(isPossible);
      }
    }),
    { numRuns: 400 },
  );
});

test('a provider that asks for one more renewal is not kept from it by those that are open', () => {
  fc.assert(
    fc.property(scenes, (scene) => {
      const lifecycle = lifecycleOf(scene.kind, scene);
      const { nowMs, certainMs } = scene;
      const around = viewOf(scene).renewals.map((renewal) => renewal.lifecycle);
      const now = { nowMs, certainMs, around, body: { allowConcurrent: true } };
      const may = scene.kind === 'license' && scene.state === 'active';
      expect(allowedNow(NEWEST_MODEL, lifecycle, now).includes('renew')).toBe(may);
    }),
  );
});

test('a licence with the most renewals that have not ended takes no other, however it is asked for', () => {
  const place = { state: 'active', context: { expiresAt: '2026-01-01T00:00:00.000000Z' } };
  const license = lifecycleOf('license', place);
  // The windows of all renewals have closed.
  const context = { settleBefore: '2026-01-01T00:20:00.000001Z' };
  const all = Array.from({ length: LIMITS.renewalsUnendedMax }, (_, n) =>
    lifecycleOf('renewal', { state: 'requested', context }, n + 2),
  );
  const times = { nowMs: instants.at(-1)! + 1e9, certainMs: instants.at(-1)! + 1e9 };
  for (const allowConcurrent of [false, true]) {
    const may = (around: readonly Lifecycle[]): boolean =>
      allowedNow(NEWEST_MODEL, license, { ...times, around, body: { allowConcurrent } }).includes(
        'renew',
      );
    expect([may(all.slice(1)), may(all)]).toEqual([true, false]);
  }
});
