import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type { UpdateFormat } from '../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import { forFile } from '../kit/for-file.ts';
import { ACS_DELTA, LEDGER_EFFECTS, updatesOf } from './kit/formats.ts';
import { makeHistory } from './kit/history.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { transactionsIn, between } from './kit/streams.ts';

/* Updates page by page, modelled on the paging cases of the public conformance suite UpdateServiceStreamsIT. */

const network = await forFile(openNetwork());
const ledger = network.as(USER_ADMIN);

describe('GetUpdatesPage', () => {
  const pageThrough = async (request: {
    begin: bigint;
    end: bigint;
    format: UpdateFormat;
    size: number;
    descendingOrder?: boolean;
  }) => {
    const pages: Transaction[][] = [];
    let pageToken: Uint8Array | undefined;
    do {
      const page = await ledger.updates.getUpdatesPage({
        beginOffsetExclusive: request.begin,
        endOffsetInclusive: request.end,
        maxPageSize: request.size,
        updateFormat: request.format,
        descendingOrder: request.descendingOrder ?? false,
        ...(pageToken && { pageToken }),
      });
      pages.push(transactionsIn(page.updates));
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined && pageToken.length > 0);
    return pages;
  };

  it.each([false, true])(
    'gives the whole range page by page (descending: %s)',
    async (descendingOrder) => {
      const sides = await network.sides();
      const { begin, end } = await makeHistory(ledger, sides);
      const format = updatesOf(LEDGER_EFFECTS, [sides.user]);
      const pages = await pageThrough({ begin, end, format, size: 3, descendingOrder });
      expect(pages.flat()).toEqual(await between(ledger, begin, end, format, descendingOrder));
      expect(pages.length).toBeGreaterThanOrEqual(3);
      expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(3);
    },
  );

  it('says which offsets a page covers', async () => {
    const sides = await network.sides();
    const { begin, end } = await makeHistory(ledger, sides);
    const page = await ledger.updates.getUpdatesPage({
      beginOffsetExclusive: begin,
      endOffsetInclusive: end,
      maxPageSize: 100,
      updateFormat: updatesOf(LEDGER_EFFECTS, [sides.user]),
    });
    expect(page).toMatchObject({
      lowestPageOffsetExclusive: begin,
      highestPageOffsetInclusive: end,
    });
    expect(page.nextPageToken ?? new Uint8Array()).toHaveLength(0);
  });

  it('does not take a token that it did not give', async () => {
    const { user } = await network.sides();
    const refusal = await refusalOf(
      ledger.updates.getUpdatesPage({
        maxPageSize: 3,
        updateFormat: updatesOf(ACS_DELTA, [user]),
        pageToken: new Uint8Array([1, 2, 3]),
      }),
    );
    expect(refusal).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'INVALID_FIELD',
    });
  });
});
