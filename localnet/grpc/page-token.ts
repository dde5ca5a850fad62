import { createHash } from 'node:crypto';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { ErrorCode } from '../ledger/ledger-error.ts';
import { invalidArgument, invalidField } from '../ledger/submission-checks.ts';

/** A position in a paged read. The next page begins after it. */
export interface PagePosition {
  readonly offset: bigint;
  readonly nodeId: number;
  /** The end of the range, which the first request may leave open. It is the same for all pages. */
  readonly bound: bigint;
}

/** The errors for a token that cannot be used. */
interface TokenRule {
  readonly fieldName: 'page_token' | 'stream_continuation_token';
  /** The error's text for a malformed token. */
  readonly defect: string;
  /** The error for a token that was issued for another request. */
  readonly code: ErrorCode;
  readonly text: string;
}

/** The rules of each call that issues tokens. */
export const TOKEN_RULES = {
  GetActiveContracts: {
    fieldName: 'stream_continuation_token',
    defect: 'Invalid continuation token for GetActiveContractsRequest',
    code: 'INVALID_CONTINUATION_TOKEN',
    text: 'The submitted command contains an invalid continuation token. Tokens used in ACS requests must be taken from a valid GetActiveContractsResponse and used with the same EventFormat settings, with the same Canton participant running the same Canton version.',
  },
  GetActiveContractsPage: {
    fieldName: 'page_token',
    defect: 'Invalid page token for GetActiveContractsPageRequest',
    code: 'INVALID_ACS_PAGE_TOKEN',
    text: 'The submitted command contains an invalid page token. Tokens used in ACS requests must be taken from a valid GetActiveContractsPageResponse and used with the same EventFormat settings, with the same Canton participant running the same Canton version. The page token was prepared with different event_format or active_at_offset.',
  },
  GetUpdatesPage: {
    fieldName: 'page_token',
    defect: 'Invalid page token for GetUpdatesPageRequest',
    code: 'INVALID_UPDATES_PAGE_TOKEN',
    text: 'The submitted command contains an invalid page token. Tokens used in GetUpdatesPage requests must be taken from a valid GetUpdatesPageResponse and used with the same EventFormat settings, the same begin and end with the same Canton participant running the same Canton version. Next page token was obtained with different request parameters',
  },
} as const satisfies Readonly<Record<string, TokenRule>>;

/** Returns a hash of a request. A token contains it, and is therefore invalid for other requests. */
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

/** Decodes a token. Throws INVALID_FIELD for a malformed token, and the rule's code for a token of another request. */
export function decodeToken(
  token: Uint8Array,
  fingerprint: string,
  { fieldName, defect, code, text }: TokenRule,
): PagePosition {
  const match = TOKEN.exec(Buffer.from(token).toString('latin1'));
  // An empty token is decoded like an empty message, which matches no request.
  if (match === null && token.length > 0) throw invalidField(fieldName, defect);
  if (match === null || match[1] !== fingerprint) throw new LedgerError(code, text);
  return {
    offset: BigInt(match[2] ?? '0'),
    nodeId: Number(match[3]),
    bound: BigInt(match[4] ?? '0'),
  };
}

interface PageSizes {
  readonly default: number;
  readonly max: number;
}

export const ACS_PAGE_SIZES: PageSizes = { default: 2000, max: 10_000 };
export const UPDATES_PAGE_SIZES: PageSizes = { default: 100, max: 2000 };

/** Returns the page size. Throws INVALID_ARGUMENT if it is outside the limits. */
export function pageSizeOf(asked: number | undefined, sizes: PageSizes): number {
  if (asked === undefined) return sizes.default;
  if (asked <= 0) throw invalidArgument(`Requested page size must be positive, but got ${asked}`);
  if (asked <= sizes.max) return asked;
  throw invalidArgument(`Requested page size must not exceed ${sizes.max}, but got ${asked}`);
}
