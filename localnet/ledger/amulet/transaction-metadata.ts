import { unitsOf } from '../decimal.ts';
import { showNumeric } from '../lf-show.ts';
import { sortedTextMap } from '../lf-values.ts';
import type { Metadata } from '../tokens/metadata.ts';

/*
 * Metadata that a transaction contains about its transfer of coins, for transaction histories. The keys are those of
 * the token standard and of the network's own contracts.
 */

const PREFIX = 'splice.lfdecentralizedtrust.org/';
export const AMULET_PREFIX = `amulet.${PREFIX}`;
/** The key for the reason of a transfer, which a person has entered. */
export const REASON_KEY = `${PREFIX}reason`;
const BURNED_KEY = `${PREFIX}burned`;
const SENDER_KEY = `${PREFIX}sender`;
const KIND_KEY = `${PREFIX}tx-kind`;

type TransactionKind = 'transfer' | 'unlock' | 'merge-split' | 'burn' | 'mint' | 'expire-dust';

interface Facts {
  readonly reason?: string | undefined;
  readonly sender?: string | undefined;
  /** The burned amount; absent if zero. */
  readonly burned?: string | undefined;
}

export function transactionMetadata(
  kind: TransactionKind,
  { reason, sender, burned }: Facts = {},
): Metadata {
  const isBurned = burned !== undefined && unitsOf(burned) !== 0n;
  return {
    values: sortedTextMap([
      [KIND_KEY, kind],
      ...(reason === undefined ? [] : [[REASON_KEY, reason] as const]),
      ...(sender === undefined ? [] : [[SENDER_KEY, sender] as const]),
      ...(isBurned ? [[BURNED_KEY, showNumeric(burned)] as const] : []),
    ]),
  };
}

/**
 * Returns a transfer's metadata without everything except the burned amount, because results of the token standard
 * contain nothing else.
 */
export function burnMetadata(meta: { readonly some: Metadata } | null): Metadata {
  const burned = meta?.some.values.get(BURNED_KEY);
  return { values: burned === undefined ? new Map() : new Map([[BURNED_KEY, burned]]) };
}

/** Returns metadata with the reason added, if there is one. */
export const withReason = (
  { values }: Metadata,
  reason: { readonly some: string } | null,
): Metadata =>
  reason === null ? { values } : { values: sortedTextMap([...values, [REASON_KEY, reason.some]]) };
