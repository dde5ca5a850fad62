import { canonicalNumeric, isTimestamp, timestampText } from '../../ledger/lf-values.ts';
import type { Json } from '../../ledger/lf-json.ts';
import { Refusal } from '../plain-errors.ts';

/** The JSON Schemas of the wallet's request bodies, and the conversion of bodies to the ledger's form. */

export const PARTY = { type: 'string', minLength: 1, maxLength: 255 } as const;
export const TEXT = { type: 'string', maxLength: 4_096 } as const;
/** A decimal. Its form is checked by {@link amountOf}, with a validator's error messages. */
export const DECIMAL = { type: 'string', maxLength: 4_096 } as const;
const META = { type: 'object', maxProperties: 100, additionalProperties: TEXT } as const;
/**
 * Microseconds since 1970. A text is accepted too, because the numbers of some clients cannot represent this many
 * digits.
 */
export const MICROS = {
  anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?[0-9]{1,18}$' }],
} as const;

/** A client's name for a payment. It is the same when the request is repeated, and the command ID ends with it. */
export const TRACKING_ID = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: '^[A-Za-z0-9#:_ .-]+$',
} as const;

export const TAP_BODY = {
  type: 'object',
  required: ['amount'],
  properties: { amount: DECIMAL, command_id: { type: 'string', minLength: 1, maxLength: 255 } },
} as const;

export interface TapBody {
  readonly amount: string;
  /** An ID that is the same in every repeat of one tap's request. If absent, a random ID is used. */
  readonly command_id?: string;
}

export const ALLOCATE_BODY = {
  type: 'object',
  required: ['settlement', 'transfer_leg_id', 'transfer_leg'],
  properties: {
    settlement: {
      type: 'object',
      required: ['executor', 'settlement_ref', 'requested_at', 'allocate_before', 'settle_before'],
      properties: {
        executor: PARTY,
        settlement_ref: {
          type: 'object',
          required: ['id'],
          properties: { id: TEXT, cid: { type: ['string', 'null'], maxLength: 1_024 } },
        },
        requested_at: MICROS,
        allocate_before: MICROS,
        settle_before: MICROS,
        meta: META,
      },
    },
    transfer_leg_id: TEXT,
    transfer_leg: {
      type: 'object',
      required: ['receiver', 'amount'],
      properties: { receiver: PARTY, amount: DECIMAL, meta: META },
    },
  },
} as const;

export type Micros = number | string;
type Meta = Readonly<Record<string, string>>;

export interface AllocateBody {
  readonly settlement: {
    readonly executor: string;
    readonly settlement_ref: { readonly id: string; readonly cid?: string | null };
    readonly requested_at: Micros;
    readonly allocate_before: Micros;
    readonly settle_before: Micros;
    readonly meta?: Meta;
  };
  readonly transfer_leg_id: string;
  readonly transfer_leg: {
    readonly receiver: string;
    readonly amount: string;
    readonly meta?: Meta;
  };
}

export const ONBOARD_BODY = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 128 },
    party_id: { type: ['string', 'null'], minLength: 1, maxLength: 255 },
  },
} as const;

export interface OnboardBody {
  /** The ID of the ledger user. */
  readonly name: string;
  /** If absent, a new party is created. */
  readonly party_id?: string | null;
}

/** A validator's format of decimals, from `apps/common/…/util/Codec.scala` of Splice. */
const DECIMAL_FORMAT = String.raw`-?\d{1,28}(\.\d{1,10})?`;
const DECIMAL_PATTERN = new RegExp(`^${DECIMAL_FORMAT}$`);
const DECIMAL_PLACES = 10;

/** Converts an amount to the ledger's form: a decimal above zero with at most ten digits after the point. */
export function amountOf(text: string, field: string): string {
  if (!DECIMAL_PATTERN.test(text)) {
    throw new Refusal(
      400,
      `Failed to decode: Invalid Decimal string "${text}", as it does not match "${DECIMAL_FORMAT}"`,
    );
  }
  const amount = canonicalNumeric(text, DECIMAL_PLACES);
  if (amount === undefined || /^(-|0\.0+$)/.test(amount)) {
    throw new Refusal(400, `${field} must be above 0`);
  }
  return amount;
}

/** Returns the microseconds. Refuses a time that the ledger cannot represent. */
export function instantOf(micros: Micros, field: string): bigint {
  const isExact = typeof micros === 'string' || Number.isSafeInteger(micros);
  if (!isExact || !isTimestamp(BigInt(micros))) {
    throw new Refusal(400, `${field} must be microseconds since 1970 of an instant on the ledger`);
  }
  return BigInt(micros);
}

const instantText = (micros: Micros, field: string): string =>
  timestampText(instantOf(micros, field));

/** The payer and the instrument of an allocation. A wallet allocates only holdings of its own, of one instrument. */
export interface Payer {
  readonly sender: string;
  readonly instrumentId: { readonly admin: string; readonly id: string };
}

/** Returns the requested allocation in the ledger's JSON encoding of an `AllocationSpecification`. */
export function specificationOf(body: AllocateBody, { sender, instrumentId }: Payer): Json {
  const { settlement, transfer_leg_id, transfer_leg: leg } = body;
  const { settlement_ref: reference } = settlement;
  return {
    settlement: {
      executor: settlement.executor,
      settlementRef: { id: reference.id, cid: reference.cid ?? null },
      requestedAt: instantText(settlement.requested_at, 'settlement.requested_at'),
      allocateBefore: instantText(settlement.allocate_before, 'settlement.allocate_before'),
      settleBefore: instantText(settlement.settle_before, 'settlement.settle_before'),
      meta: { values: settlement.meta ?? {} },
    },
    transferLegId: transfer_leg_id,
    transferLeg: {
      sender,
      receiver: leg.receiver,
      amount: amountOf(leg.amount, 'transfer_leg.amount'),
      instrumentId: { ...instrumentId },
      meta: { values: leg.meta ?? {} },
    },
  };
}
