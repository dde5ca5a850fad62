import type {
  LifecycleDescription,
  MachineEvent,
  Snapshot,
} from '../../../machines/machine-kit.ts';
import { migrate } from '../../../machines/migrate.ts';
import * as stepping from '../../../machines/stepping.ts';
import type { Step } from '../../../machines/stepping.ts';
import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import type { JsonRecord } from '../../../src/domain/json.ts';
import type { LifecycleKind } from '../../../src/domain/lifecycle.ts';

/* Returns the description of a kind of lifecycle in the licensing package. */

export const describe = (kind: LifecycleKind): LifecycleDescription =>
  NEWEST_MODEL.lifecycle(kind).description;

export const machineOf = (kind: LifecycleKind): LifecycleDescription['machine'] =>
  describe(kind).machine;

export const begin = (kind: LifecycleKind, input: JsonRecord): Snapshot =>
  stepping.begin(describe(kind), input);

export const step = (kind: LifecycleKind, at: Snapshot, event: MachineEvent): Step | null =>
  stepping.step(describe(kind), at, event);

export const current = (kind: LifecycleKind, at: Snapshot): Snapshot => migrate(describe(kind), at);

export const mentionedEvents = (kind: LifecycleKind, at: Snapshot): ReadonlySet<string> =>
  stepping.mentionedEvents(describe(kind), at);
