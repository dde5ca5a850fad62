import { expect, test } from 'vitest';
import { orParticipant } from '../../../src/app/engine/lanes/participant-wait.ts';
import type { Wait, WaitingFor } from '../../../src/domain/change.ts';
import type { HealthCause, ParticipantCause } from '../../../src/domain/participant-health.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { change, io } from '../../kit/store-rows.ts';

const at = '2026-01-01T00:00:00.000Z';
const waiting = (kind: Wait): WaitingFor => ({ kind, detail: 'as recorded', since: at });
const circuit = (kind: HealthCause): ParticipantCause => ({
  participant: trusted('app-provider'),
  kind,
  since: at,
  detail: 'X',
  stream: null,
});
const noLease = { leaseOf: async () => null };
const shown = (kind: Wait, open: ParticipantCause | null) =>
  orParticipant(noLease, open === null ? [] : [open], change(), waiting(kind), io());

test.each([
  ['queue', 'unreachable', 'participant'],
  ['participant', 'traffic', 'traffic'],
  ['traffic', 'unreachable', 'participant'],
] as const)(
  'what waits for the %s while a circuit is %s is shown so',
  async (kind, reason, seen) => {
    expect(await shown(kind, circuit(reason))).toMatchObject({ kind: seen });
  },
);

test.each(['participant', 'traffic'] as const)(
  'a circuit that has closed is the reason no longer: %s',
  async (kind) => {
    expect(await shown(kind, null)).toEqual({
      kind: 'backoff',
      detail: 'no circuit of app-provider is open; the next attempt is due soon',
      since: at,
    });
  },
);

test('what waits for something else is not put down to a circuit', async () => {
  expect(await shown('registry', circuit('unreachable'))).toEqual(waiting('registry'));
  expect(await shown('queue', null)).toEqual(waiting('queue'));
});
