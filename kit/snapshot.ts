import type { Localnet as Network } from '../localnet/localnet.ts';
import { timestampText } from '../localnet/ledger/lf-values.ts';
import type { Snapshot } from './api.ts';

/* A snapshot is one line of JSON that describes the network, followed by the ledger's whole history. */

interface Head extends NetworkKind {
  readonly 'tenure-localnet': 1;
  /** Present if the network's time is static. */
  readonly staticTime?: string;
}

/** The properties in which a network must agree with a snapshot to continue from it. */
export interface NetworkKind {
  readonly partyHint: string;
  readonly isSingle: boolean;
}

export interface SnapshotContents {
  readonly network: NetworkKind;
  readonly staticTime: string | undefined;
  readonly history: Uint8Array;
}

const LINE_FEED = 0x0a;

export const kindOf = ({ ledger }: Network): NetworkKind => ({
  partyHint: ledger.store.state.partyHint,
  isSingle: ledger.participantNames.length === 1,
});

/** Takes a snapshot synchronously, so that the ledger cannot change during it. */
export function takeSnapshot(network: Network): Snapshot {
  const { ledger } = network;
  const head: Head = {
    'tenure-localnet': 1,
    ...kindOf(network),
    ...(ledger.isTimeStatic ? { staticTime: timestampText(ledger.nowMicros()) } : {}),
  };
  const line = new TextEncoder().encode(`${JSON.stringify(head)}\n`);
  const history = ledger.history();
  const snapshot = new Uint8Array(line.length + history.length);
  snapshot.set(line);
  snapshot.set(history, line.length);
  return snapshot;
}

/** @throws TypeError if the bytes are not a snapshot */
export function readSnapshot(snapshot: Snapshot): SnapshotContents {
  const head = headOf(snapshot);
  if (head?.['tenure-localnet'] !== 1) throw new TypeError('these bytes are no snapshot');
  const { partyHint, isSingle, staticTime } = head;
  const history = snapshot.subarray(snapshot.indexOf(LINE_FEED) + 1);
  return { network: { partyHint, isSingle }, staticTime, history };
}

function headOf(snapshot: Snapshot): Head | undefined {
  try {
    const line = snapshot.subarray(0, snapshot.indexOf(LINE_FEED));
    return JSON.parse(new TextDecoder().decode(line)) as Head;
  } catch {
    return undefined;
  }
}
