import { addRelTime } from '../contract-failures.ts';
import { contractIdOf, int64, numeric, party, record, text, timestamp, unit } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { choice, implementChoice, template, typeNamer } from '../package-definition.ts';
import type { ChoiceContext, TemplateDefinition } from '../package-definition.ts';
import { RelTime } from '../standard-library.ts';
import { AllocationRequest, RejectRequest, WithdrawRequest } from '../tokens/allocation-request.ts';
import type { AllocationRequestView } from '../tokens/allocation-request.ts';
import { Allocation, ExecuteTransfer, SettlementInfo, TransferLeg } from '../tokens/allocation.ts';
import { InstrumentId } from '../tokens/holding.ts';
import { EMPTY_METADATA, ExtraArgs, Metadata } from '../tokens/metadata.ts';
import { AppPaymentRequest, endPaymentRequest } from './payment-request.ts';
import type { AppPaymentRequestPayload } from './payment-request.ts';

const named = typeNamer('quickstart-licensing');
const inModule = (entity: string) => named(`Licensing.License:${entity}`);
const LICENSE = inModule('License');
const RENEWAL = inModule('LicenseRenewalRequest');

export const LicenseParams = record(inModule('LicenseParams'), { meta: Metadata });

const LicensePayload = record(LICENSE, {
  provider: party,
  user: party,
  expiresAt: timestamp,
  licenseNum: int64,
  params: LicenseParams,
});
export type LicensePayload = LfValue<typeof LicensePayload>;

const RenewalPayload = record(RENEWAL, {
  requestId: text,
  provider: party,
  user: party,
  licenseNum: int64,
  licenseFeeAmount: numeric(10),
  licenseFeeInstrumentId: InstrumentId,
  licenseExtensionDuration: RelTime,
  prepareUntil: timestamp,
  settleBefore: timestamp,
  requestedAt: timestamp,
  description: text,
});
export type RenewalPayload = LfValue<typeof RenewalPayload>;

/** Returns the payment request that belongs to a renewal request. */
const paymentRequestOf = (renewal: RenewalPayload): AppPaymentRequestPayload => ({
  provider: renewal.provider,
  user: renewal.user,
  dso: renewal.licenseFeeInstrumentId.admin,
  requestId: renewal.requestId,
  licenseNum: renewal.licenseNum,
  amount: renewal.licenseFeeAmount,
  instrumentId: renewal.licenseFeeInstrumentId,
  description: renewal.description,
  expiresAt: renewal.settleBefore,
});

const Renew = choice({
  name: 'License_Renew',
  kind: 'nonconsuming',
  argument: record(inModule('License_Renew'), {
    requestId: text,
    licenseFeeInstrumentId: InstrumentId,
    licenseFeeAmount: numeric(10),
    licenseExtensionDuration: RelTime,
    requestedAt: timestamp,
    prepareUntil: timestamp,
    settleBefore: timestamp,
    description: text,
  }),
  result: contractIdOf(RENEWAL),
  controllers: ({ provider }: LicensePayload) => [provider],
  exercise: (ledger, { payload: { provider, user, licenseNum } }, terms) => {
    ledger.requireDeadlineExceeded('requestedAt', terms.requestedAt);
    ledger.requireWithinDeadline('prepareUntil', terms.prepareUntil);
    ledger.require('prepareUntil < settleBefore', terms.prepareUntil < terms.settleBefore);
    const renewal: RenewalPayload = { ...terms, provider, user, licenseNum };
    const renewalCid = ledger.create(LicenseRenewalRequest, renewal);
    ledger.create(AppPaymentRequest, paymentRequestOf(renewal));
    return renewalCid;
  },
});

const Expire = choice({
  name: 'License_Expire',
  kind: 'consuming',
  argument: record(inModule('License_Expire'), { actor: party, meta: Metadata }),
  result: unit,
  controllers: (_license: LicensePayload, { actor }) => [actor],
  exercise: (ledger, { payload }, { actor }) => {
    const isSignatory = actor === payload.provider || actor === payload.user;
    ledger.require('Actor is a signatory', isSignatory);
    ledger.requireDeadlineExceeded('expiresAt', payload.expiresAt);
    return {};
  },
});

/** The user's right to use the provider's app, which both parties have signed. */
export const License: TemplateDefinition<LicensePayload> = template({
  name: LICENSE,
  payload: LicensePayload,
  signatories: ({ provider, user }) => [provider, user],
  observers: () => [],
  choices: [Renew, Expire],
});

/** The ID of the renewal fee within its settlement, which has no other payment. */
const LICENSE_FEE_PAYMENT = 'licenseFeePayment';

const renewalMetadata = ({ description, licenseNum }: RenewalPayload): Metadata => ({
  // The entries are in the order that a text map requires.
  values: new Map([
    ['cn-quickstart.example.org/licenseNum', licenseNum.toString()],
    ['splice.lfdecentralizedtrust.org/reason', description],
  ]),
});

const feeLegOf = (renewal: RenewalPayload): LfValue<typeof TransferLeg> => ({
  sender: renewal.user,
  receiver: renewal.provider,
  amount: renewal.licenseFeeAmount,
  instrumentId: renewal.licenseFeeInstrumentId,
  meta: renewalMetadata(renewal),
});

const settlementOf = (renewal: RenewalPayload): LfValue<typeof SettlementInfo> => ({
  executor: renewal.provider,
  settlementRef: { id: renewal.requestId, cid: null },
  requestedAt: renewal.requestedAt,
  allocateBefore: renewal.prepareUntil,
  settleBefore: renewal.settleBefore,
  meta: renewalMetadata(renewal),
});

const requestView = (renewal: RenewalPayload): AllocationRequestView => ({
  settlement: settlementOf(renewal),
  transferLegs: new Map([[LICENSE_FEE_PAYMENT, feeLegOf(renewal)]]),
  meta: renewalMetadata(renewal),
});

/**
 * Returns the new end of a licence. The extension begins at the licence's present end, or now if the licence has ended.
 */
function extended(
  ledger: ChoiceContext,
  license: LicensePayload,
  { licenseExtensionDuration: { microseconds } }: RenewalPayload,
): LicensePayload {
  const now = ledger.getTime();
  const from = license.expiresAt > now ? license.expiresAt : now;
  return { ...license, expiresAt: addRelTime(ledger, from, microseconds) };
}

const CompleteRenewal = choice({
  name: 'LicenseRenewalRequest_CompleteRenewal',
  kind: 'postconsuming',
  argument: record(inModule('LicenseRenewalRequest_CompleteRenewal'), {
    allocationCid: contractIdOf(Allocation.name),
    licenseCid: contractIdOf(LICENSE),
    extraArgs: ExtraArgs,
  }),
  result: contractIdOf(LICENSE),
  controllers: ({ provider }: RenewalPayload) => [provider],
  exercise: (ledger, { payload: renewal }, { allocationCid, licenseCid, extraArgs }) => {
    ledger.requireWithinDeadline('settleBefore', renewal.settleBefore);
    const { allocation } = ledger.fetchInterface(Allocation, allocationCid);
    ledger.requireEqual(allocation.transferLegId, LICENSE_FEE_PAYMENT, text);
    ledger.requireEqual(allocation.transferLeg, feeLegOf(renewal), TransferLeg);
    ledger.requireEqual(allocation.settlement, settlementOf(renewal), SettlementInfo);
    ledger.exercise(Allocation, allocationCid, ExecuteTransfer, { extraArgs });
    const license = ledger.fetch(License, licenseCid);
    ledger.archive(License, licenseCid);
    ledger.requireEqual(license.licenseNum, renewal.licenseNum, int64);
    ledger.requireEqual(license.user, renewal.user, party);
    ledger.requireEqual(license.provider, renewal.provider, party);
    const renewedCid = ledger.create(License, extended(ledger, license, renewal));
    endPaymentRequest(ledger, paymentRequestOf(renewal));
    return renewedCid;
  },
});

/** The provider's offer to extend a licence for a fee. The user's wallet shows it as a request for an allocation. */
export const LicenseRenewalRequest: TemplateDefinition<RenewalPayload> = template({
  name: RENEWAL,
  payload: RenewalPayload,
  signatories: ({ user, provider }) => [user, provider],
  observers: () => [],
  choices: [CompleteRenewal],
  implements: [
    {
      iface: AllocationRequest,
      view: requestView,
      choices: {
        [RejectRequest.name]: implementChoice(
          RejectRequest,
          requestView,
          (ledger, { payload: renewal }, { actor }) => {
            ledger.require('Actor is the user paying the fee', actor === renewal.user);
            endPaymentRequest(ledger, paymentRequestOf(renewal));
            return { meta: EMPTY_METADATA };
          },
        ),
        [WithdrawRequest.name]: implementChoice(
          WithdrawRequest,
          requestView,
          (ledger, { payload: renewal }) => {
            endPaymentRequest(ledger, paymentRequestOf(renewal));
            return { meta: EMPTY_METADATA };
          },
        ),
      },
    },
  ],
});
