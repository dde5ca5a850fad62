import type { Rejection } from './update.ts';

/** The price of a submission: a base cost, and a cost per byte. */
export interface TrafficPrice {
  readonly baseCost: number;
  readonly costPerByte: number;
}

export const USUAL_PRICE: TrafficPrice = { baseCost: 2_000, costPerByte: 4 };

/**
 * When a request without enough traffic is refused: when it is sent or, if the sequencer's data was out of date then,
 * only when it is sequenced.
 */
export type RefusedAt = 'sending' | 'sequencing';

/** One participant's traffic balance on a synchronizer, and its spending. */
export class TrafficAccount {
  /** The balance; `null` means no limit. */
  balance: bigint | null = null;
  refusedAt: RefusedAt = 'sending';
  spent = 0n;
  /** Whether the balance has ever been set. */
  isSet = false;

  set({ balance, refusedAt }: Pick<TrafficAccount, 'balance' | 'refusedAt'>): void {
    this.balance = balance;
    this.refusedAt = refusedAt;
    this.isSet = true;
  }

  pay(cost: bigint): void {
    this.spent += cost;
    if (this.balance === null) return;
    this.balance = this.balance > cost ? this.balance - cost : 0n;
  }
}

/** The part of an account that other code may read. */
export type Traffic = Readonly<Pick<TrafficAccount, 'balance' | 'spent' | 'refusedAt'>>;

export const costOf = (bytes: number, { baseCost, costPerByte }: TrafficPrice): bigint =>
  BigInt(Math.ceil(baseCost + bytes * costPerByte));

const CODE = 'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT';

/** The participant whose request is refused, the request's cost, and the traffic that is available. */
interface Shortage {
  readonly participantId: string;
  readonly cost: bigint;
  readonly available: bigint;
}

const aboveLimit = ({ participantId, cost, available }: Shortage): string =>
  `AboveTrafficLimit(member = PAR::${participantId}, trafficCost = ${cost}, availableTraffic = ${available})`;

/**
 * Returns the sequencer's rejection of a request, if the sequencer notices the shortage only when it sequences the
 * request.
 */
export const notEnoughTraffic = (shortage: Shortage): Rejection => ({
  code: CODE,
  text: aboveLimit(shortage),
  metadata: {},
  resources: [],
  definiteAnswer: true,
});

/** Returns a participant's rejection if the sequencer refuses its request. The reason is only in the metadata. */
export function refusedForTraffic(shortage: Shortage): Rejection {
  const reason = `Submission was rejected because no traffic is available: ${aboveLimit(shortage)}`;
  return refusedBySequencer(CODE, `FAILED_PRECONDITION/${CODE}(9,0): ${reason}`);
}

/** Returns the rejection of a request that the sequencer refused when it was sent. */
export const refusedBySequencer = (code: string, status: string): Rejection => ({
  code: 'SEQUENCER_REQUEST_FAILED',
  text: 'Failed to send command',
  metadata: {
    sendError: `RequestRefused(SendAsyncErrorGrpc(Request failed for sequencer. GrpcRequestRefusedByServer: ${status} Request: send-async DecodedCantonError(code = '${code}')))`,
  },
  resources: [],
  definiteAnswer: true,
});
