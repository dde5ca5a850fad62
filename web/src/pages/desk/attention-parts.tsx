import type { ReactNode } from 'react';
import type { components } from '../../../../client/schema.ts';
import * as t from '../../texts/attention.tsx';
import { AlarmsPart, DoubtPart, FailuresPart, TimersPart, WaitingPart } from './attention-desk.tsx';
import {
  CircuitsPart,
  LeasesPart,
  PausesPart,
  StreamsPart,
  WebhooksPart,
} from './attention-system.tsx';

export type Attention = components['schemas']['OpsAttention'];

type PartName = Attention['unavailable'][number];

export const PART_NAMES: Readonly<Record<PartName, string>> = {
  inDoubt: t.operationsInDoubt,
  alarms: t.alarmsWord,
  failures: t.openFailuresWord,
  waiting: t.longWaitsWord,
  pauses: t.pausesWord,
  circuits: t.participantsInBackOff,
  streams: t.streamsThatLag,
  leases: t.leasesWithoutAHolder,
  timers: t.stoppedTimersWord,
  webhooks: t.failingWebhooks,
};

/** Groups that only operators of the deployment see. */
export const PROVIDERS: readonly PartName[] = ['pauses', 'circuits', 'streams', 'leases'];

interface Part {
  readonly name: PartName;
  readonly Part: (props: { readonly of: Attention }) => ReactNode;
}

/** The groups, most important first. */
export const PARTS: readonly Part[] = [
  { name: 'inDoubt', Part: DoubtPart },
  { name: 'alarms', Part: AlarmsPart },
  { name: 'circuits', Part: CircuitsPart },
  { name: 'streams', Part: StreamsPart },
  { name: 'leases', Part: LeasesPart },
  { name: 'failures', Part: FailuresPart },
  { name: 'pauses', Part: PausesPart },
  { name: 'waiting', Part: WaitingPart },
  { name: 'timers', Part: TimersPart },
  { name: 'webhooks', Part: WebhooksPart },
];
