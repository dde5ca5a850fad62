import type { Rejection } from './update.ts';

/** The price of a submission: a base cost, and a cost per byte. */
export interface TrafficPrice {
  readonly baseCost: number;
  readonly costPerByte: number;
}

export const USUAL_PRICE: TrafficPrice = { baseCost: 2_000, costPerByte: 4 };

/**
 * The point at which a request without credit is refused: when it is sent, or, by a sequencer that was not up to
 * date, only when it is ordered.
 */
export type RefusedAt = 'sending' | 'sequencing';

/** One participant's traffic balance on a synchronizer, and its spending. */
export class TrafficAccount {
  /** `null`: without limit. */
  balance: bigint | null = null;
  refusedAt: RefusedAt = 'sending';
  spent = 0n;
  /** Whether the balance was set explicitly. */
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

/** The readable part of an account. */
export type Traffic = Readonly<Pick<TrafficAccount, 'balance' | 'spent' | 'refusedAt'>>;

export const costOf = (bytes: number, { baseCost, costPerByte }: TrafficPrice): bigint =>
  BigInt(Math.ceil(baseCost + bytes * costPerByte));

const CODE = 'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT';

/** A refused participant, the cost, and the available traffic. */
interface Shortage {
  readonly participantId: string;
  readonly cost: bigint;
  readonly available: bigint;
}

const aboveLimit = ({ participantId, cost, available }: Shortage): string =>
  `AboveTrafficLimit(member = PAR::${participantId}, trafficCost = ${cost}, availableTraffic = ${available})`;

/** The sequencer's rejection when the shortage is found while the request is ordered. */
export const notEnoughTraffic = (shortage: Shortage): Rejection => ({
  code: CODE,
  text: aboveLimit(shortage),
  metadata: {},
  resources: [],
  definiteAnswer: true,
});

/** A participant's rejection when the sequencer does not accept its request. The reason is in the metadata alone. */
export function refusedForTraffic(shortage: Shortage): Rejection {
  const reason = `Submission was rejected because no traffic is available: ${aboveLimit(shortage)}`;
  return refusedBySequencer(CODE, `FAILED_PRECONDITION/${CODE}(9,0): ${reason}`);
}

/** A request that the sequencer refused when it was sent. */
export const refusedBySequencer = (code: string, status: string): Rejection => ({
  code: 'SEQUENCER_REQUEST_FAILED',
  text: 'Failed to send command',
  metadata: {
    sendError: `RequestRefused(SendAsyncErrorGrpc(Request failed for sequencer. GrpcRequestRefusedByServer: ${status} Request: send-async DecodedCantonError(code = '${code}')))`,
  },
  resources: [],
  definiteAnswer: true,
});
