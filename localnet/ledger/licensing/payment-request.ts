import { int64, numeric, party, record, text, timestamp } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { template, typeNamer } from '../package-definition.ts';
import type { ChoiceContext } from '../package-definition.ts';
import { InstrumentId } from '../tokens/holding.ts';

const named = typeNamer('quickstart-licensing');

const Payload = record(named('Licensing.License:AppPaymentRequest'), {
  provider: party,
  user: party,
  dso: party,
  requestId: text,
  licenseNum: int64,
  amount: numeric(10),
  instrumentId: InstrumentId,
  description: text,
  expiresAt: timestamp,
});
export type AppPaymentRequestPayload = LfValue<typeof Payload>;

/**
 * A request to a wallet for a renewal's fee. The licensing contracts used this template before the token standard
 * existed, and their documentation still describes it. The contract exists exactly as long as the renewal request to
 * which it belongs.
 */
export const AppPaymentRequest = template<AppPaymentRequestPayload>({
  name: named('Licensing.License:AppPaymentRequest'),
  payload: Payload,
  signatories: ({ provider, user }) => [provider, user],
  observers: () => [],
  isFoundByPayload: true,
});

/**
 * Archives a payment request with this payload; if there are several, it does not matter which one. There may be none,
 * because both parties together can create the renewal request without it.
 */
export function endPaymentRequest(ledger: ChoiceContext, payload: AppPaymentRequestPayload): void {
  const contractId = ledger.findByPayload(AppPaymentRequest, payload);
  if (contractId !== undefined) ledger.archive(AppPaymentRequest, contractId);
}
