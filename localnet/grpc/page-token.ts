import { createHash } from 'node:crypto';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { ErrorCode } from '../ledger/ledger-error.ts';
import { invalidArgument } from '../ledger/submission-checks.ts';

/** Where a reader goes on: right after this place. */
export interface PagePosition {
  readonly offset: bigint;
  readonly nodeId: number;
  /** A bound that was open in the first request and is fixed for all that follow. */
  readonly bound: bigint;
}

type TokenErrorCode = Extract<
  ErrorCode,
  'INVALID_CONTINUATION_TOKEN' | 'INVALID_UPDATES_PAGE_TOKEN' | 'INVALID_ACS_PAGE_TOKEN'
>;

/** Binds tokens to what was asked: a token of one request is no token for another. */
export const fingerprintOf = (request: unknown): string =>
  createHash('sha256')
    .update(
      JSON.stringify(request, (_key, value: unknown) =>
        typeof value === 'bigint' ? value.toString() : value,
      ),
    )
    .digest('base64url')
    .slice(0, 22);

export const encodeToken = (
  { offset, nodeId, bound }: PagePosition,
  fingerprint: string,
): Uint8Array => Buffer.from(`${fingerprint}.${offset}.${nodeId}.${bound}`);

const TOKEN = /^([\w-]{22})\.(\d{1,19})\.(-?\d{1,10})\.(\d{1,19})$/;

export function decodeToken(
  token: Uint8Array,
  fingerprint: string,
  errorCode: TokenErrorCode,
): PagePosition {
  const match = TOKEN.exec(Buffer.from(token).toString('latin1'));
  if (match === null || match[1] !== fingerprint) {
    throw new LedgerError(errorCode, 'The token is malformed or belongs to another request');
  }
  return {
    offset: BigInt(match[2] ?? '0'),
    nodeId: Number(match[3]),
    bound: BigInt(match[4] ?? '0'),
  };
}

const PAGE_SIZE_DEFAULT = 100;
const PAGE_SIZE_MAX = 1000;

export function pageSizeOf(asked: number | undefined): number {
  if (asked === undefined || asked === 0) return PAGE_SIZE_DEFAULT;
  if (asked < 0) throw invalidArgument(`max_page_size: ${asked} is not positive`);
  return Math.min(asked, PAGE_SIZE_MAX);
}
