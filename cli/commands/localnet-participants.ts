import { table } from '../table.ts';
import { askControl } from './localnet-control.ts';
import type { ControlOptions } from './localnet-control.ts';

interface Participant {
  readonly ledgerEnd: string;
  readonly recordTime: string;
  readonly isBehind: boolean;
  readonly isStopped: boolean;
  readonly traffic: { readonly balance: number | null; readonly spent: number };
}

const stateOf = ({ isBehind, isStopped }: Participant): string =>
  isStopped ? 'stopped' : isBehind ? 'behind' : 'follows';

function print(participants: Readonly<Record<string, Participant>>): void {
  const rows = Object.entries(participants).map(([name, participant]) => [
    name,
    participant.ledgerEnd,
    participant.recordTime,
    stateOf(participant),
    `${participant.traffic.spent}`,
    `${participant.traffic.balance ?? 'unlimited'}`,
  ]);
  console.log(table(['PARTICIPANT', 'LEDGER END', 'RECORD TIME', 'STATE', 'SPENT', 'LEFT'], rows));
}

/** Prints each participant's offsets and traffic. */
export async function listParticipants(options: ControlOptions): Promise<void> {
  print(await askControl(options, 'GET', '/participants'));
}

/** Advances the time that one participant, or all, have seen. On a quiet ledger nothing else advances it. */
export async function tick(participant: string | undefined, options: ControlOptions) {
  print(await askControl(options, 'POST', '/tick', JSON.stringify({ participant })));
}

export interface TrafficOptions extends ControlOptions {
  /** The traffic that is left: a number, or `unlimited`. */
  readonly balance?: string;
  readonly topUp?: string;
}

const amountOf = (text: string): number => {
  const amount = Number(text);
  if (Number.isSafeInteger(amount) && amount >= 0) return amount;
  throw new Error(`${text} is not an amount of traffic`);
};

/** Sets how much traffic a participant may use on the synchronizer. */
export async function setTraffic(participant: string, options: TrafficOptions): Promise<void> {
  const { balance, topUp } = options;
  const body = {
    participant,
    ...(balance === undefined
      ? {}
      : { balance: balance === 'unlimited' ? null : amountOf(balance) }),
    ...(topUp === undefined ? {} : { topUp: amountOf(topUp) }),
  };
  const told = await askControl<Participant>(options, 'POST', '/traffic', JSON.stringify(body));
  print({ [participant]: told });
}

/** Hosts a party on an additional participant. */
export async function hostParty(
  party: string,
  participant: string,
  options: ControlOptions,
): Promise<void> {
  const body = JSON.stringify({ party, participant });
  const { participants } = await askControl<{ readonly participants: readonly string[] }>(
    options,
    'POST',
    '/hostings',
    body,
  );
  console.log(`${party} is hosted on ${participants.join(', ')}`);
}
