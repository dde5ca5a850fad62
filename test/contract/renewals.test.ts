import { beforeEach, describe, expect, it } from 'vitest';
import type { CreatedEvent } from '../../proto/gen/com/daml/ledger/api/v2/event.ts';
import { forFile } from '../kit/for-file.ts';
import { change } from './kit/commands.ts';
import { eventsOf } from './kit/formats.ts';
import { archive, cancelInstall, INSTALL, LICENSE } from './kit/licensing.ts';
import { Market, resultOf } from './kit/market.ts';
import {
  ALLOCATION_REQUEST,
  PAYMENT_REQUEST,
  rejectRequest,
  renew,
  RENEWAL,
  withdrawRequest,
} from './kit/money.ts';
import type { Terms } from './kit/money.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeContracts, createdOf, transact } from './kit/steps.ts';
import { archivedIn, createdIn, exercisedIn } from './kit/streams.ts';
import { readRecord, readValue } from './kit/values.ts';

/* The provider's offer to extend a licence for a fee, and how the offer ends if it is not paid. */

let market: Market;
let license: CreatedEvent;

const network = await forFile(openNetwork({ staticTime: '2030-01-01T00:00:00Z' }));
beforeEach(async () => {
  market = await Market.open(network);
  license = await market.newLicense();
});

/** Returns the contract IDs of the provider's active contracts of one template. */
async function activeOf(template: typeof RENEWAL): Promise<string[]> {
  const format = eventsOf([market.provider], { templates: [template] });
  const active = await activeContracts(market.providerSide, format);
  return active.map(({ createdEvent }) => createdEvent!.contractId);
}

const meta = (terms: Terms) => ({
  values: {
    'cn-quickstart.example.org/licenseNum': '1',
    'splice.lfdecentralizedtrust.org/reason': terms.description,
  },
});

describe('License_Renew', () => {
  it('creates a renewal request and a payment request, and leaves the licence alone', async () => {
    const terms = await market.terms();
    const transaction = await market.asProvider(renew(license.contractId, terms));
    const renewal = createdOf(transaction, RENEWAL);
    const parties = { provider: market.provider, user: market.user };
    expect(readValue(resultOf(transaction))).toBe(renewal.contractId);
    expect(exercisedIn(transaction)[0]).toMatchObject({
      choice: 'License_Renew',
      consuming: false,
    });
    expect(readRecord(renewal.createArguments)).toEqual({
      requestId: terms.requestId,
      ...parties,
      licenseNum: 1n,
      licenseFeeAmount: terms.amount,
      licenseFeeInstrumentId: terms.instrument,
      licenseExtensionDuration: { microseconds: terms.extensionMicros },
      prepareUntil: terms.prepareUntil,
      settleBefore: terms.settleBefore,
      requestedAt: terms.requestedAt,
      description: terms.description,
    });
    expect(readRecord(createdOf(transaction, PAYMENT_REQUEST).createArguments)).toEqual({
      ...parties,
      dso: market.dso,
      requestId: terms.requestId,
      licenseNum: 1n,
      amount: terms.amount,
      instrumentId: terms.instrument,
      description: terms.description,
      expiresAt: terms.settleBefore,
    });
    for (const created of createdIn(transaction)) {
      expect(created.signatories.toSorted()).toEqual([market.provider, market.user].toSorted());
      expect(created.observers).toEqual([]);
    }
    expect(await activeOf(LICENSE)).toEqual([license.contractId]);
  });

  it('keeps the order of the fields, and the labels to those who want them', async () => {
    const transaction = await market.asProvider(renew(license.contractId, await market.terms()));
    const labels = createdOf(transaction, RENEWAL).createArguments?.fields.map(
      ({ label }) => label,
    );
    expect(labels).toEqual([
      'requestId',
      'provider',
      'user',
      'licenseNum',
      'licenseFeeAmount',
      'licenseFeeInstrumentId',
      'licenseExtensionDuration',
      'prepareUntil',
      'settleBefore',
      'requestedAt',
      'description',
    ]);
  });

  it('checks the request’s time, then the deadlines, in this order', async () => {
    const now = await market.now();
    const wrong = {
      ...(await market.terms()),
      requestedAt: now + 1n,
      prepareUntil: now,
      settleBefore: now,
    };
    const refused = async (changes: Partial<Terms>) => {
      const command = renew(license.contractId, { ...wrong, ...changes });
      const { status, reason, metadata, message } = await refusalOf(market.asProvider(command));
      expect([status, reason]).toEqual(['FAILED_PRECONDITION', 'DAML_FAILURE']);
      return [metadata['error_id'], message];
    };
    expect(await refused({})).toEqual([
      'stdlib.daml.com/deadline-not-exceeded',
      expect.stringContaining("Ledger time is strictly before deadline 'requestedAt' at 2030-"),
    ]);
    expect(await refused({ requestedAt: now })).toEqual([
      'stdlib.daml.com/deadline-exceeded',
      expect.stringContaining("Ledger time is at or past deadline 'prepareUntil' at 2030-"),
    ]);
    expect(
      await refused({ requestedAt: now, prepareUntil: now + 1n, settleBefore: now + 1n }),
    ).toEqual([
      'UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed:AssertionFailed',
      expect.stringContaining("The requirement 'prepareUntil < settleBefore' was not met."),
    ]);
    const justRight = { requestedAt: now, prepareUntil: now + 1n, settleBefore: now + 2n };
    await market.asProvider(renew(license.contractId, { ...wrong, ...justRight }));
  });

  it('is the provider’s alone', async () => {
    const command = renew(license.contractId, await market.terms());
    expect((await refusalOf(market.asUser(command))).reason).toBe('DAML_AUTHORIZATION_ERROR');
  });

  it.each([
    ['a fee of eleven decimals', { amount: '0.00000000001' }],
    ['a fee that is no number', { amount: 'a lot' }],
    ['a description with NUL', { description: 'a\0b' }],
  ] as const)('refuses %s', async (_name, changes) => {
    const terms = await market.terms(changes);
    const refusal = await refusalOf(market.asProvider(renew(license.contractId, terms)));
    expect(refusal.status).toBe('INVALID_ARGUMENT');
  });

  it('takes any fee, and any number of offers', async () => {
    for (const amount of ['0.0', '-1.5', '9999999999999999999999999999.9999999999']) {
      await market.renew(license, await market.terms({ amount }));
    }
    expect(await activeOf(RENEWAL)).toHaveLength(3);
    expect(await activeOf(PAYMENT_REQUEST)).toHaveLength(3);
  });
});

describe('a renewal request', () => {
  it('is shown to wallets as an allocation request', async () => {
    const terms = await market.terms();
    const renewal = await market.renew(license, terms);
    const format = eventsOf([market.user], { interfaces: [ALLOCATION_REQUEST] });
    const active = await activeContracts(market.userSide, format);
    expect(active.map(({ createdEvent }) => createdEvent!.contractId)).toEqual([
      renewal.contractId,
    ]);
    const [view] = active[0]!.createdEvent!.interfaceViews;
    expect(view?.viewStatus?.code).toBe(0);
    expect(readRecord(view?.viewValue)).toEqual({
      settlement: {
        executor: market.provider,
        // The value has no `cid`, because fields at the end of a record are omitted if they are None.
        settlementRef: { id: terms.requestId },
        requestedAt: terms.requestedAt,
        allocateBefore: terms.prepareUntil,
        settleBefore: terms.settleBefore,
        meta: meta(terms),
      },
      transferLegs: {
        licenseFeePayment: {
          sender: market.user,
          receiver: market.provider,
          amount: terms.amount,
          instrumentId: terms.instrument,
          meta: meta(terms),
        },
      },
      meta: meta(terms),
    });
  });

  it('is rejected by the user, and its payment request ends with it', async () => {
    const renewal = await market.renew(license, await market.terms());
    const transaction = await market.asUser(rejectRequest(renewal.contractId, market.user));
    expect(readValue(resultOf(transaction))).toEqual({ meta: { values: {} } });
    expect(exercisedIn(transaction)[0]).toMatchObject({
      interfaceId: { entityName: 'AllocationRequest' },
      templateId: { entityName: 'LicenseRenewalRequest' },
      consuming: true,
    });
    expect(await activeOf(RENEWAL)).toEqual([]);
    expect(await activeOf(PAYMENT_REQUEST)).toEqual([]);
    expect(await activeOf(LICENSE)).toEqual([license.contractId]);
  });

  it('is rejected by nobody else', async () => {
    const renewal = await market.renew(license, await market.terms());
    const byProvider = market.asProvider(rejectRequest(renewal.contractId, market.provider));
    const refusal = await refusalOf(byProvider);
    expect(refusal.reason).toBe('DAML_FAILURE');
    expect(refusal.message).toContain(
      "The requirement 'Actor is the user paying the fee' was not met.",
    );
    const inUsersName = market.asProvider(rejectRequest(renewal.contractId, market.user));
    expect((await refusalOf(inUsersName)).reason).toBe('DAML_AUTHORIZATION_ERROR');
    expect(await activeOf(RENEWAL)).toEqual([renewal.contractId]);
  });

  it('is withdrawn by the provider, and by nobody else', async () => {
    const renewal = await market.renew(license, await market.terms());
    const byUser = market.asUser(withdrawRequest(renewal.contractId));
    expect((await refusalOf(byUser)).reason).toBe('DAML_AUTHORIZATION_ERROR');
    const transaction = await market.asProvider(withdrawRequest(renewal.contractId));
    expect(readValue(resultOf(transaction))).toEqual({ meta: { values: {} } });
    expect(await activeOf(RENEWAL)).toEqual([]);
    expect(await activeOf(PAYMENT_REQUEST)).toEqual([]);
    const again = market.asProvider(withdrawRequest(renewal.contractId));
    expect((await refusalOf(again)).reason).toBe('CONTRACT_NOT_FOUND');
  });

  it('ends its own payment request and no other', async () => {
    const terms = await market.terms();
    const [first, second] = [
      await market.renew(license, terms),
      await market.renew(license, terms),
    ];
    const other = await market.renew(license, { ...terms, amount: '7.0' });
    expect(await activeOf(PAYMENT_REQUEST)).toHaveLength(3);
    await market.asProvider(withdrawRequest(first.contractId));
    expect(await activeOf(PAYMENT_REQUEST)).toHaveLength(2);
    await market.asProvider(withdrawRequest(other.contractId));
    const left = await activeContracts(
      market.userSide,
      eventsOf([market.user], { templates: [PAYMENT_REQUEST] }),
    );
    expect(left.map(({ createdEvent }) => readRecord(createdEvent!.createArguments))).toMatchObject(
      [{ amount: terms.amount }],
    );
    await market.asUser(rejectRequest(second.contractId, market.user));
    expect(await activeOf(PAYMENT_REQUEST)).toEqual([]);
  });

  it('ends with others in one transaction, each with its own payment request', async () => {
    const terms = await market.terms();
    const [first, second] = [
      await market.renew(license, terms),
      await market.renew(license, terms),
    ];
    const both = [withdrawRequest(first.contractId), withdrawRequest(second.contractId)];
    const commands = change(both, { actAs: [market.provider] });
    const transaction = await transact(market.providerSide, commands);
    expect(archivedIn(transaction)).toHaveLength(4);
    expect(await activeOf(PAYMENT_REQUEST)).toEqual([]);
  });

  it('needs both parties to be archived', async () => {
    const renewal = await market.renew(license, await market.terms());
    const command = archive(RENEWAL, renewal.contractId);
    expect((await refusalOf(market.asProvider(command))).reason).toBe('DAML_AUTHORIZATION_ERROR');
    expect((await refusalOf(market.asUser(command))).reason).toBe('DAML_AUTHORIZATION_ERROR');
  });

  it('and its licence outlive the installation that they came from', async () => {
    const renewal = await market.renew(license, await market.terms());
    const [installCid] = await activeOf(INSTALL);
    await market.asProvider(cancelInstall(installCid!, market.provider));
    const next = await market.renew(license, await market.terms());
    expect(await activeOf(RENEWAL)).toEqual([renewal.contractId, next.contractId]);
  });
});

describe('a token interface', () => {
  it('is not implemented by a licence', async () => {
    const refusal = await refusalOf(market.asProvider(withdrawRequest(license.contractId)));
    expect(refusal).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE',
    });
  });

  it('is of the published package, and is asked for by its name', async () => {
    const renewal = await market.renew(license, await market.terms());
    const byId = {
      ...ALLOCATION_REQUEST,
      packageId: '6fe848530b2404017c4a12874c956ad7d5c8a419ee9b040f96b5c13172d2e193',
    };
    const format = eventsOf([market.provider], { interfaces: [ALLOCATION_REQUEST] });
    const [active] = await activeContracts(market.providerSide, format);
    expect(active?.createdEvent?.interfaceViews[0]?.interfaceId).toEqual(byId);
    expect(active?.createdEvent?.contractId).toBe(renewal.contractId);
    const named = eventsOf([market.provider], { interfaces: [byId] });
    expect(await refusalOf(activeContracts(market.providerSide, named))).toMatchObject({
      reason: 'INVALID_FIELD',
    });
  });
});
