import type { ReactNode } from 'react';
import type { components } from '../../../../client/schema.ts';
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
  inDoubt: 'operations in doubt',
  alarms: 'alarms',
  failures: 'open failures',
  waiting: 'long waits',
  pauses: 'pauses',
  circuits: 'participants in back-off',
  streams: 'streams that lag',
  leases: 'leases without a holder',
  timers: 'stopped timers',
  webhooks: 'failing webhooks',
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
