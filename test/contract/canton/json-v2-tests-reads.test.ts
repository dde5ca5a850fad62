import { describe, expect, test } from 'vitest';
import { forFile } from '../../kit/for-file.ts';
import { USER_PERSON } from '../kit/identities.ts';
import { jsonApiOf, withCreate } from '../kit/json-api.ts';
import { openNetwork } from '../kit/network.ts';

const network = await forFile(openNetwork());
const { sides, ask, create, created, ledgerEnd, firstOf, filtersByParty, eventFormat } =
  jsonApiOf(network);

describe('JsonV2Tests state service', () => {
  const path = '/v2/state/active-contracts';
  const aContract = {
    contractEntry: {
      JsActiveContract: {
        createdEvent: {
          templateId: expect.stringContaining(':Licensing.AppInstall:AppInstallRequest'),
        },
      },
    },
  };
  const invalid = (cause: string) => ({
    code: 'INVALID_ARGUMENT',
    errorCategory: 8,
    cause: expect.stringContaining(cause),
  });
  const NEITHER =
    'Either filter/verbose or event_format is required. Please use either backwards compatible arguments (filter and verbose) or event_format.';
  const both = (what: string) =>
    `Both event_format and ${what} are set. Please use either backwards compatible arguments (filter and verbose) or event_format, but not both.`;
  const at = async () => {
    await created();
    return { activeAtOffset: await ledgerEnd() };
  };

  test('JsonV2Tests return active contracts', async () => {
    const request = { ...(await at()), eventFormat };
    expect(await firstOf(path, request)).toMatchObject(aContract);
  });

  test('JsonV2Tests return active contracts (legacy fields)', async () => {
    const request = { ...(await at()), filter: { filtersByParty }, verbose: true };
    expect(await firstOf(path, request)).toMatchObject(aContract);
  });

  test('JsonV2Tests return active contracts (empty fields)', async () => {
    expect(await firstOf(path, await at())).toMatchObject(invalid(NEITHER));
  });

  test('JsonV2Tests return active contracts list', async () => {
    const { json } = await ask(path, { ...(await at()), eventFormat });
    expect((json as unknown[]).at(-1)).toMatchObject(aContract);
  });

  test('JsonV2Tests return active contracts list (event_format and verbose fields set)', async () => {
    const { status, json } = await ask(path, { ...(await at()), eventFormat, verbose: true });
    expect([status, json]).toMatchObject([400, invalid(both('verbose'))]);
  });

  test('JsonV2Tests return active contracts list (event_format and filter fields set)', async () => {
    const filter = { filtersByParty };
    const { status, json } = await ask(path, { ...(await at()), eventFormat, filter });
    expect([status, json]).toMatchObject([400, invalid(both('filter'))]);
  });

  test('JsonV2Tests handle offset after ledger end for active contracts list', async () => {
    const activeAtOffset = (await ledgerEnd()) + 100;
    const { status, json } = await ask(path, { activeAtOffset, eventFormat });
    expect([status, json]).toMatchObject([
      400,
      { code: 'OFFSET_AFTER_LEDGER_END', cause: expect.stringContaining('active_at_offset') },
    ]);
  });

  test('JsonV2Tests return connected synchronizers', async () => {
    const query = `party=${encodeURIComponent(sides.user)}`;
    const { status, json } = await ask(`/v2/state/connected-synchronizers?${query}`);
    expect([status, json]).toMatchObject([
      200,
      { connectedSynchronizers: [{ permission: 'PARTICIPANT_PERMISSION_SUBMISSION' }] },
    ]);
  });

  test('JsonV2Tests get ledger end', async () => {
    const before = await network.as(USER_PERSON).state.getLedgerEnd({});
    expect(await ledgerEnd()).toBeGreaterThanOrEqual(Number(before.offset));
  });

  test('JsonV2Tests get latest pruned offsets', async () => {
    const { status, json } = await ask('/v2/state/latest-pruned-offsets');
    expect([status, json]).toEqual([
      200,
      { participantPrunedUpToInclusive: 0, allDivulgedContractsPrunedUpToInclusive: 0 },
    ]);
  });
});

const made = await created();

describe('JsonV2Tests update service return updates', () => {
  const after = { beginExclusive: made.offset - 1, endInclusive: made.offset };
  const filter = { filtersByParty };
  const transaction = { updateId: made.updateId, offset: made.offset };
  const asUpdate = { update: { Transaction: { value: transaction } } };
  const asTree = { update: { TransactionTree: { value: transaction } } };
  const shape = 'TRANSACTION_SHAPE_ACS_DELTA';
  const transactionFormat = { eventFormat, transactionShape: shape };
  const updateFormat = { includeTransactions: transactionFormat };

  test.each([
    ['/v2/updates', { ...after, updateFormat }, asUpdate],
    ['/v2/updates', { ...after, filter }, asUpdate],
    ['/v2/updates/flats', { ...after, filter, verbose: true }, asUpdate],
    ['/v2/updates/trees', { ...after, filter, verbose: true }, asTree],
  ])('JsonV2Tests return updates %s %j', async (path, request, expected) => {
    expect(await firstOf(path, request)).toMatchObject(expected);
    const { status, json } = await ask(path, request);
    expect([status, json]).toMatchObject([200, [expected]]);
  });

  test('JsonV2Tests return updates: an open list ends when nothing comes', async () => {
    const request = { beginExclusive: after.beginExclusive, filter };
    const { json } = await ask('/v2/updates?stream_idle_timeout_ms=50', request);
    expect((json as unknown[])[0]).toMatchObject(asUpdate);
  });

  test.each<[string, string, unknown, object]>([
    ['GET', `/v2/updates/transaction-tree-by-offset/${made.offset}`, undefined, { transaction }],
    [
      'POST',
      '/v2/updates/transaction-by-offset',
      { offset: made.offset, requestingParties: [sides.user] },
      { transaction },
    ],
    [
      'POST',
      '/v2/updates/transaction-by-offset',
      { offset: made.offset, transactionFormat },
      { transaction },
    ],
    [
      'POST',
      '/v2/updates/transaction-by-id',
      { updateId: made.updateId, requestingParties: [sides.user] },
      { transaction },
    ],
    ['POST', '/v2/updates/update-by-offset', { offset: made.offset, updateFormat }, asUpdate],
    ['POST', '/v2/updates/update-by-id', { updateId: made.updateId, updateFormat }, asUpdate],
    ['GET', `/v2/updates/transaction-tree-by-id/${made.updateId}`, undefined, { transaction }],
  ])('JsonV2Tests return updates %s %s %j', async (method, path, body, expected) => {
    const query = method === 'GET' ? `?parties=${encodeURIComponent(sides.user)}` : '';
    const { status, json } = await ask(`${path}${query}`, body);
    expect([status, json]).toMatchObject([200, expected]);
  });

  test('JsonV2Tests return updates: parties and a format, or neither, are refused', async () => {
    const path = '/v2/updates/transaction-by-id';
    const { updateId } = made;
    for (const more of [{}, { requestingParties: [sides.user], transactionFormat }]) {
      const { status, json } = await ask(path, { updateId, ...more });
      expect([status, json]).toMatchObject([400, { code: 'INVALID_ARGUMENT' }]);
    }
  });
});

describe('JsonListLimitTest json service', () => {
  /** The participant's own limit. The case requests one element more. */
  const MAX = 200;
  const PER_COMMAND = 67;
  const command = withCreate({ ...sides, meta: { values: {} } }).commands[0];
  const path = '/v2/state/active-contracts';

  test('JsonListLimitTest return list when size is below node limit', async () => {
    await created();
    const { status, json } = await ask(path, { activeAtOffset: await ledgerEnd(), eventFormat });
    expect([status, (json as unknown[]).length > 0]).toEqual([200, true]);
  });

  test('JsonListLimitTest return list fragment when limit is provided in query and there are fewer results', async () => {
    const { json } = await ask(path, { activeAtOffset: await ledgerEnd(), eventFormat });
    const limited = await ask(`${path}?limit=${MAX}`, {
      activeAtOffset: await ledgerEnd(),
      eventFormat,
    });
    expect([limited.status, limited.json]).toEqual([200, json]);
  });

  test('JsonListLimitTest return error when list is beyond the node limit, and a fragment with a limit', async () => {
    for (let count = 0; count <= MAX; count += PER_COMMAND) {
      const commands = Array.from({ length: PER_COMMAND }, () => command);
      await ask('/v2/commands/submit-and-wait', create({ commands }));
    }
    const body = { activeAtOffset: await ledgerEnd(), eventFormat };
    const { status, json } = await ask(path, body);
    expect([status, json]).toMatchObject([
      413,
      {
        code: 'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED',
        cause: 'The number of matching elements (201) is greater than the node limit (200).',
        grpcCodeValue: 10,
      },
    ]);
    const limited = await ask(`${path}?limit=${MAX}`, body);
    expect([limited.status, (limited.json as unknown[]).length]).toEqual([200, MAX]);
  });
});
