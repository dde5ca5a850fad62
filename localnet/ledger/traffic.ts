import type { Rejection } from './update.ts';

/** What a submission costs: so much, and so much for each byte of it. */
export interface TrafficPrice {
  readonly baseCost: number;
  readonly costPerByte: number;
}

export const USUAL_PRICE: TrafficPrice = { baseCost: 2_000, costPerByte: 4 };

/**
 * Where a request that cannot be paid is refused: when it is sent, or only once it is put in order, by a sequencer that
 * was not up to date.
 */
export type RefusedAt = 'sending' | 'sequencing';

/** What one participant may still spend on a synchronizer, and what it has spent. */
export class TrafficAccount {
  /** `null`: without limit. */
  balance: bigint | null = null;
  refusedAt: RefusedAt = 'sending';
  spent = 0n;
  /** Somebody has said what it may spend. */
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

/** What an account says. */
export type Traffic = Readonly<Pick<TrafficAccount, 'balance' | 'spent' | 'refusedAt'>>;

export const costOf = (bytes: number, { baseCost, costPerByte }: TrafficPrice): bigint =>
  BigInt(Math.ceil(baseCost + bytes * costPerByte));

const CODE = 'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT';

/** Who was refused, and how much it lacked. */
interface Shortage {
  readonly participantId: string;
  readonly cost: bigint;
  readonly available: bigint;
}

const aboveLimit = ({ participantId, cost, available }: Shortage): string =>
  `AboveTrafficLimit(member = PAR::${participantId}, trafficCost = ${cost}, availableTraffic = ${available})`;

/** What the sequencer sends instead of the request, when it finds out while it puts the request in order. */
export const notEnoughTraffic = (shortage: Shortage): Rejection => ({
  code: CODE,
  text: aboveLimit(shortage),
  metadata: {},
  resources: [],
  definiteAnswer: true,
});

/** What a participant makes of a sequencer that does not take its request: the reason is in the metadata alone. */
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
