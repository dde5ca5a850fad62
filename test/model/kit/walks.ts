import type { AnyMachineSnapshot } from 'xstate';
import { getAdjacencyMap, getShortestPaths } from 'xstate/graph';
import type { AdjacencyMap, StatePath } from 'xstate/graph';
import type { LifecycleAction, Snapshot } from '../../../machines/machine-kit.ts';
import { describe, machineOf } from './machines.ts';
import type { MachineEvent } from '../../../machines/machine-kit.ts';
import type { JsonRecord } from '../../../src/domain/json.ts';
import type { LicensingKind } from '../../../src/domain/licensing.ts';
import { isoToMs } from '../../../src/domain/time.ts';

/** Events that represent all events of a kind of lifecycle, and the contract with which the lifecycle begins. */
export interface Walk {
  readonly kind: LicensingKind;
  readonly input: JsonRecord;
  readonly events: readonly MachineEvent[];
}

const changeId = 'c';
export const OUTCOMES: readonly MachineEvent[] = [
  { type: 'command.succeeded', changeId },
  { type: 'command.refused', changeId },
];

const GONE: MachineEvent = { type: 'ledger.gone' };

const BORN = '2026-01-01T00:00:00.000001Z';
const EXTENDED = '2026-02-01T00:00:00.000001Z';
const CLOSES = '2026-01-01T00:20:00.000001Z';

/** Returns requests of this type around an instant: a microsecond before it, at it, and a day later. */
const around = (type: string, iso: string): MachineEvent[] =>
  [-0.001, 0, 86_400_000].map((ms) => ({ type, changeId, nowMs: isoToMs(iso) + ms }));

/**
 * Every event and every guard of the machines must occur here, with values on both sides of each guard. A test checks
 * this.
 */
export const WALKS: readonly Walk[] = [
  {
    kind: 'install-request',
    input: {},
    events: [
      { type: 'installRequest.accept', changeId },
      { type: 'installRequest.reject', changeId },
      { type: 'installRequest.cancel', changeId },
      { type: 'ledger.requestAccepted' },
      { type: 'ledger.requestRejected' },
      { type: 'ledger.requestCancelled' },
      GONE,
      ...OUTCOMES,
    ],
  },
  {
    kind: 'install',
    input: { numLicensesCreated: '0' },
    events: [
      { type: 'install.createLicense', changeId },
      { type: 'install.cancel', changeId },
      { type: 'ledger.installReplaced', numLicensesCreated: '1' },
      { type: 'ledger.installCancelled' },
      GONE,
      ...OUTCOMES,
    ],
  },
  {
    kind: 'license',
    input: { expiresAt: BORN },
    events: [
      ...around('license.expire', BORN),
      ...around('license.expire', EXTENDED),
      { type: 'license.renew', changeId, openRenewals: 0, allowConcurrent: 0 },
      { type: 'license.renew', changeId, openRenewals: 0, allowConcurrent: 1 },
      { type: 'license.renew', changeId, openRenewals: 1, allowConcurrent: 0 },
      { type: 'license.renew', changeId, openRenewals: 2, allowConcurrent: 1 },
      { type: 'license.comment', changeId },
      { type: 'ledger.licenseRenewed', expiresAt: EXTENDED },
      { type: 'ledger.licenseExpired' },
      GONE,
      ...OUTCOMES,
    ],
  },
  {
    kind: 'renewal',
    input: { settleBefore: CLOSES },
    events: [
      ...around('renewal.complete', CLOSES),
      { type: 'renewal.withdraw', changeId },
      { type: 'ledger.renewalCompleted' },
      { type: 'ledger.renewalWithdrawn' },
      { type: 'ledger.renewalRejected' },
      GONE,
      ...OUTCOMES,
    ],
  },
];

export const walkOf = (kind: LicensingKind): Walk => {
  const found = WALKS.find((walk) => walk.kind === kind);
  if (found === undefined) throw new Error(`test/model/kit/walks.ts has no walk of ${kind}`);
  return found;
};

export const atOf = (kind: LicensingKind, snapshot: AnyMachineSnapshot): Snapshot => ({
  machineVersion: describe(kind).version,
  state: String(snapshot.value),
  context: snapshot.context as JsonRecord,
});

type Graph = AdjacencyMap<AnyMachineSnapshot, MachineEvent>;

const traversal = ({ input, events }: Walk) => ({
  input,
  events,
  serializeState: ({ value, context }: AnyMachineSnapshot) => JSON.stringify([value, context]),
  serializeEvent: (event: MachineEvent) => JSON.stringify(event),
  // A final state accepts no event, but xstate would continue with the events that the machine accepts in every state.
  stopWhen: ({ status }: AnyMachineSnapshot) => status === 'done',
});

/** Returns the states to which the walk's events can lead, with these events. */
export const graphOf = (walk: Walk): Graph =>
  getAdjacencyMap(machineOf(walk.kind), traversal(walk) as never);

/** Returns a shortest path to each node of the graph. */
export const pathsOf = (walk: Walk): StatePath<AnyMachineSnapshot, MachineEvent>[] =>
  getShortestPaths(machineOf(walk.kind), traversal(walk) as never) as never;

/** Returns every snapshot to which the walk can lead. */
export const placesOf = (walk: Walk): Snapshot[] =>
  Object.values(graphOf(walk)).map(({ state }) => atOf(walk.kind, state));

const isAction = (kind: LicensingKind, { type }: MachineEvent, aside: boolean): boolean =>
  describe(kind).actions.some(
    (action: LifecycleAction) => action.event === type && (action.isAside === true) === aside,
  );

/** Returns whether the event requests a change that does not change the lifecycle. */
export const isAsideEvent = (kind: LicensingKind, event: MachineEvent): boolean =>
  isAction(kind, event, true);

export const isFact = ({ type }: MachineEvent): boolean => type.startsWith('ledger.');

export const isFinal = (kind: LicensingKind, state: string): boolean =>
  machineOf(kind).states[state]?.type === 'final';
