import { describe, expect, it } from 'vitest';
import type { ActiveContract } from '../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import type { EventFormat } from '../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import { forFile } from '../kit/for-file.ts';
import { change, ledgerEnd } from './kit/commands.ts';
import { ACS_DELTA, eventsOf, eventsOfAnyParty, updatesOf } from './kit/formats.ts';
import { USER_ADMIN } from './kit/identities.ts';
import {
  accept,
  archive,
  createLicense,
  createRequest,
  INSTALL,
  LICENSE,
  LICENSING,
  REQUEST,
  templateName,
  createAndCancel,
} from './kit/licensing.ts';
import type { Sides } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeContracts, createdOf, newRequest, transact } from './kit/steps.ts';
import { archivedIn, createdIn, readAll, transactionsIn } from './kit/streams.ts';
import { readRecord } from './kit/values.ts';

/*
 * The active contract set, modelled on the public conformance suite ActiveContractsServiceIT. Omitted: pruning and
 * reassignments, which LocalNet does not have.
 */

const network = await forFile(openNetwork());
const ledger = network.as(USER_ADMIN);

const idsOf = (contracts: readonly ActiveContract[]) =>
  contracts.map(({ createdEvent }) => createdEvent!.contractId).toSorted();
const templatesOf = (contracts: readonly ActiveContract[]) =>
  contracts.map(({ createdEvent }) => templateName(createdEvent!.templateId)).toSorted();

/** Creates one contract of each template: a request, an install and a licence. */
async function oneOfEach(sides: Sides) {
  const { contractId } = await newRequest(ledger, sides);
  const accepted = await transact(ledger, change(accept(contractId), { actAs: [sides.provider] }));
  const licensed = await transact(
    ledger,
    change(createLicense(createdOf(accepted, INSTALL).contractId), { actAs: [sides.provider] }),
  );
  const request = await newRequest(ledger, sides);
  return {
    request: request.contractId,
    install: createdOf(licensed, INSTALL).contractId,
    license: createdOf(licensed, LICENSE).contractId,
  };
}

describe('the active contract set', () => {
  it('of a party without contracts is empty', async () => {
    const { user } = await network.sides();
    expect(await activeContracts(ledger, eventsOf([user]))).toEqual([]);
  });

  it('holds everything that was created and is not archived', async () => {
    const sides = await network.sides();
    const { request, install, license } = await oneOfEach(sides);
    expect(idsOf(await activeContracts(ledger, eventsOf([sides.user])))).toEqual(
      [request, install, license].toSorted(),
    );
    await transact(ledger, change(archive(REQUEST, request), { actAs: [sides.user] }));
    expect(idsOf(await activeContracts(ledger, eventsOf([sides.user])))).toEqual(
      [install, license].toSorted(),
    );
  });

  it('can be asked for by template', async () => {
    const sides = await network.sides();
    const { license, install } = await oneOfEach(sides);
    const only = (...templates: (typeof REQUEST)[]) =>
      activeContracts(ledger, eventsOf([sides.user], { templates }));
    expect(idsOf(await only(LICENSE))).toEqual([license]);
    expect(idsOf(await only(LICENSE, INSTALL))).toEqual([license, install].toSorted());
    expect(templatesOf(await only())).toHaveLength(3);
  });

  it('is what its stakeholders see, each for itself', async () => {
    const sides = await network.sides();
    const other = await network.sides();
    const ours = await newRequest(ledger, sides);
    const theirs = await newRequest(ledger, other);
    const seen = async (...parties: string[]) =>
      idsOf(await activeContracts(ledger, eventsOf(parties)));
    expect(await seen(sides.user)).toEqual([ours.contractId]);
    expect(await seen(sides.provider)).toEqual([ours.contractId]);
    expect(await seen(other.user)).toEqual([theirs.contractId]);
    expect(await seen(sides.user, other.provider)).toEqual(
      [ours.contractId, theirs.contractId].toSorted(),
    );
  });

  it('can have another filter for each party', async () => {
    const sides = await network.sides();
    const other = await network.sides();
    await oneOfEach(sides);
    await oneOfEach(other);
    const eventFormat: EventFormat = {
      ...eventsOf([]),
      filtersByParty: {
        ...eventsOf([sides.user], { templates: [LICENSE] }).filtersByParty,
        ...eventsOf([other.user], { templates: [REQUEST] }).filtersByParty,
      },
    };
    const contracts = await activeContracts(ledger, eventFormat);
    expect(templatesOf(contracts)).toEqual(
      [templateName(REQUEST), templateName(LICENSE)].toSorted(),
    );
  });

  it('says of each contract what its create said', async () => {
    const sides = await network.sides();
    const commands = change(createRequest(sides, { note: 'kept' }), {
      actAs: [sides.user],
      workflowId: 'a-workflow',
    });
    const transaction = await transact(ledger, commands);
    const responses = await readAll(
      ledger.state.getActiveContracts({
        activeAtOffset: transaction.offset,
        eventFormat: eventsOf([sides.user]),
      }),
    );
    expect(responses).toHaveLength(1);
    expect(responses[0]).toMatchObject({
      workflowId: 'a-workflow',
      contractEntry: {
        $case: 'activeContract',
        value: {
          synchronizerId: network.localnet.synchronizerId,
          reassignmentCounter: 0n,
          createdEvent: createdIn(transaction)[0]!,
        },
      },
    });
  });

  it('has labels only when verbose and blobs only when asked', async () => {
    const sides = await network.sides();
    await newRequest(ledger, sides);
    const read = async (options: Parameters<typeof eventsOf>[1]) => {
      const [contract] = await activeContracts(ledger, eventsOf([sides.user], options));
      return contract!.createdEvent!;
    };
    const plain = await read({ verbose: false });
    expect(readRecord(plain.createArguments)).toEqual([sides.provider, sides.user, [{}]]);
    expect(plain.createArguments?.recordId).toBeUndefined();
    expect(plain.createdEventBlob).toHaveLength(0);

    const verbose = await read({ verbose: true, blobs: true });
    expect(readRecord(verbose.createArguments)).toMatchObject(sides);
    expect(verbose.createdEventBlob.length).toBeGreaterThan(0);
  });

  it('never holds what was created and archived in one transaction', async () => {
    const sides = await network.sides();
    await transact(ledger, change(createAndCancel(sides), { actAs: [sides.user] }));
    expect(await activeContracts(ledger, eventsOf([sides.user]))).toEqual([]);
  });

  it('for any party is for those who may read as any party', async () => {
    const call = activeContracts(ledger, eventsOfAnyParty());
    expect(await refusalOf(call)).toMatchObject({ status: 'PERMISSION_DENIED' });
  });
});

describe('the offset of an active contract set', () => {
  it('decides what is in it', async () => {
    const sides = await network.sides();
    const first = await newRequest(ledger, sides);
    const second = await newRequest(ledger, sides);
    const { offset } = await transact(
      ledger,
      change(archive(REQUEST, first.contractId), { actAs: [sides.user] }),
    );
    const at = async (activeAtOffset: bigint) =>
      idsOf(await activeContracts(ledger, eventsOf([sides.user]), activeAtOffset));
    expect(await at(0n)).toEqual([]);
    expect(await at(first.offset - 1n)).toEqual([]);
    expect(await at(first.offset)).toEqual([first.contractId]);
    expect(await at(second.offset)).toEqual([first.contractId, second.contractId].toSorted());
    expect(await at(offset)).toEqual([second.contractId]);
  });

  it('is where the update stream goes on, without gap and without repeat', async () => {
    const sides = await network.sides();
    const total = 30;
    const submitting = Promise.all(
      Array.from({ length: total }, async (_, index) => {
        const { contractId } = await newRequest(ledger, sides, { index: `${index}` });
        if (index % 3 === 0) {
          await transact(ledger, change(archive(REQUEST, contractId), { actAs: [sides.user] }));
        }
      }),
    );
    const snapshots: { offset: bigint; active: Set<string> }[] = [];
    const looking = (async () => {
      for (let round = 0; round < 5; round += 1) {
        const offset = await ledgerEnd(ledger);
        const contracts = await activeContracts(ledger, eventsOf([sides.user]), offset);
        snapshots.push({ offset, active: new Set(idsOf(contracts)) });
      }
    })();
    await Promise.all([submitting, looking]);
    const end = await ledgerEnd(ledger);
    const final = idsOf(await activeContracts(ledger, eventsOf([sides.user]), end));
    expect(final).toHaveLength(total - total / 3);

    for (const { offset, active } of snapshots) {
      const responses = await readAll(
        ledger.updates.getUpdates({
          beginExclusive: offset,
          endInclusive: end,
          updateFormat: updatesOf(ACS_DELTA, [sides.user]),
        }),
      );
      const contradictions: string[] = [];
      for (const transaction of transactionsIn(responses)) {
        for (const { contractId } of archivedIn(transaction)) {
          if (!active.delete(contractId)) contradictions.push(`archived unseen ${contractId}`);
        }
        for (const { contractId } of createdIn(transaction)) {
          if (active.has(contractId)) contradictions.push(`created twice ${contractId}`);
          active.add(contractId);
        }
      }
      expect(contradictions).toEqual([]);
      expect([...active].toSorted()).toEqual(final);
    }
  });

  it('is neither negative nor after the ledger end', async () => {
    const { user } = await network.sides();
    const at = (activeAtOffset: bigint) =>
      refusalOf(activeContracts(ledger, eventsOf([user]), activeAtOffset));
    expect(await at(-1n)).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'NEGATIVE_OFFSET' });
    expect(await at((await ledgerEnd(ledger)) + 100n)).toMatchObject({
      status: 'OUT_OF_RANGE',
      reason: 'OFFSET_AFTER_LEDGER_END',
    });
  });
});

describe('a request for active contracts', () => {
  it('needs a format, and one that selects somebody', async () => {
    const ask = (eventFormat?: EventFormat) =>
      refusalOf(
        readAll(
          ledger.state.getActiveContracts({
            activeAtOffset: 0n,
            ...(eventFormat && { eventFormat }),
          }),
        ),
      );
    expect(await ask()).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'MISSING_FIELD' });
    expect(await ask(eventsOf([]))).toMatchObject({ status: 'INVALID_ARGUMENT' });
  });

  it('names packages that exist', async () => {
    const { user } = await network.sides();
    const templates = [{ ...REQUEST, packageId: '#no-such-package' }];
    expect(await refusalOf(activeContracts(ledger, eventsOf([user], { templates })))).toMatchObject(
      {
        status: 'NOT_FOUND',
        reason: 'PACKAGE_NAMES_NOT_FOUND',
      },
    );
  });

  it('names the package by its name, not by its ID', async () => {
    const sides = await network.sides();
    const { templateId, packageName } = await newRequest(ledger, sides);
    expect(`#${packageName}`).toBe(LICENSING);
    const byId = activeContracts(ledger, eventsOf([sides.user], { templates: [templateId!] }));
    expect(await refusalOf(byId)).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'INVALID_FIELD',
      message: expect.stringContaining('but expected a package name'),
    });
  });
});

describe('GetActiveContractsPage', () => {
  async function pageThrough(
    eventFormat: EventFormat,
    maxPageSize: number,
    activeAtOffset: bigint,
  ) {
    const pages: string[][] = [];
    let pageToken: Uint8Array | undefined;
    do {
      const page = await ledger.state.getActiveContractsPage({
        activeAtOffset,
        eventFormat,
        maxPageSize,
        ...(pageToken && { pageToken }),
      });
      expect(page.activeAtOffset).toBe(activeAtOffset);
      pages.push(
        page.activeContracts.flatMap(({ contractEntry }) =>
          contractEntry?.$case === 'activeContract'
            ? [contractEntry.value.createdEvent!.contractId]
            : [],
        ),
      );
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined && pageToken.length > 0);
    return pages;
  }

  it('gives the whole set page by page, as it was at its offset', async () => {
    const sides = await network.sides();
    for (let count = 0; count < 7; count += 1) await newRequest(ledger, sides);
    const offset = await ledgerEnd(ledger);
    const whole = idsOf(await activeContracts(ledger, eventsOf([sides.user]), offset));
    await newRequest(ledger, sides);

    const pages = await pageThrough(eventsOf([sides.user]), 3, offset);
    expect(pages.flat().toSorted()).toEqual(whole);
    expect(pages.length).toBeGreaterThanOrEqual(3);
    expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(3);
  });

  it('is about the ledger end when no offset is given', async () => {
    const sides = await network.sides();
    await newRequest(ledger, sides);
    const page = await ledger.state.getActiveContractsPage({ eventFormat: eventsOf([sides.user]) });
    expect(page.activeAtOffset).toBe(await ledgerEnd(ledger));
    expect(page.activeContracts).toHaveLength(1);
  });

  it('does not take a token that it did not give, nor a size below one', async () => {
    const { user } = await network.sides();
    const eventFormat = eventsOf([user]);
    const badToken = ledger.state.getActiveContractsPage({
      eventFormat,
      pageToken: new Uint8Array([1, 2, 3]),
    });
    expect(await refusalOf(badToken)).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'INVALID_FIELD',
    });
    const ofNoRequest = ledger.state.getActiveContractsPage({
      eventFormat,
      pageToken: new Uint8Array(),
    });
    expect((await refusalOf(ofNoRequest)).reason).toBe('INVALID_ACS_PAGE_TOKEN');
    const badSize = ledger.state.getActiveContractsPage({ eventFormat, maxPageSize: -1 });
    expect((await refusalOf(badSize)).status).toBe('INVALID_ARGUMENT');
  });
});

describe('a stream of active contracts', () => {
  it('can be taken up again after any element', async () => {
    const sides = await network.sides();
    for (let count = 0; count < 4; count += 1) await newRequest(ledger, sides);
    const request = {
      activeAtOffset: await ledgerEnd(ledger),
      eventFormat: eventsOf([sides.user]),
    };
    const whole = await readAll(ledger.state.getActiveContracts(request));
    expect(whole).toHaveLength(4);
    for (const [index, { streamContinuationToken }] of whole.entries()) {
      const rest = await readAll(
        ledger.state.getActiveContracts({ ...request, streamContinuationToken }),
      );
      expect(rest).toEqual(whole.slice(index + 1));
    }
  });

  it('cannot be taken up with a token that it did not give', async () => {
    const { user } = await network.sides();
    const activeAtOffset = await ledgerEnd(ledger);
    const withToken = (streamContinuationToken: Uint8Array) =>
      refusalOf(
        readAll(
          ledger.state.getActiveContracts({
            activeAtOffset,
            eventFormat: eventsOf([user]),
            streamContinuationToken,
          }),
        ),
      );
    const noToken = await withToken(new Uint8Array([1, 2, 3]));
    expect([noToken.status, noToken.reason]).toEqual(['INVALID_ARGUMENT', 'INVALID_FIELD']);
    const ofNoRequest = await withToken(new Uint8Array());
    expect(ofNoRequest.reason).toBe('INVALID_CONTINUATION_TOKEN');
  });
});
