import { PreparedTransaction } from '../../../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import { timestampOf } from '../../../messages/times.ts';
import { parseTimestamp } from '../../../ledger/lf-values.ts';
import { invalidArgument } from '../../../ledger/submission-checks.ts';
import { unary } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { nothing } from '../shapes/commands.ts';
import {
  executeAndWaitAnswer,
  executeAndWaitRequest,
  executeForTransactionRequest,
  executeRequest,
  preferredPackagesAnswer,
  preferredPackagesRequest,
  preferredVersionAnswer,
  prepareAnswer,
  prepareRequest,
} from '../shapes/interactive.ts';
import { executedTransactionAnswer } from '../shapes/updates.ts';
import { commandListOf, prefetchKeysOf } from '../transcoding.ts';

const PATH = '/v2/interactive-submission';
const SERVICE = 'InteractiveSubmissionService';
const NO_BYTES = new Uint8Array();

/** Decodes the bytes of a prepared transaction. Throws INVALID_ARGUMENT if they are malformed. */
function executionOf<R extends { readonly preparedTransaction: Uint8Array }>(request: R) {
  try {
    const preparedTransaction = PreparedTransaction.decode(request.preparedTransaction);
    return { ...request, preparedTransaction };
  } catch {
    throw invalidArgument('Cannot parse prepared_transaction');
  }
}

const timestampIn = (text: string) => {
  const micros = parseTimestamp(text);
  return micros === undefined ? undefined : timestampOf(micros);
};

export const interactiveOperations: readonly Operation[] = [
  unary({
    method: 'POST',
    path: `${PATH}/prepare`,
    calls: `${SERVICE}/PrepareSubmission`,
    body: prepareRequest,
    answer: prepareAnswer,
    run: async ({ interactive }, { body }, call, values) => {
      const commands = commandListOf(body, values);
      const prefetchContractKeys = prefetchKeysOf(body.prefetchContractKeys, values);
      const request = { ...body, commands, prefetchContractKeys };
      const { preparedTransaction, ...prepared } = await interactive.prepareSubmission(
        request,
        call,
      );
      const encoded =
        preparedTransaction === undefined
          ? NO_BYTES
          : PreparedTransaction.encode(
              PreparedTransaction.fromPartial(preparedTransaction),
            ).finish();
      return { ...prepared, preparedTransaction: encoded };
    },
  }),
  unary({
    method: 'POST',
    path: `${PATH}/execute`,
    calls: `${SERVICE}/ExecuteSubmission`,
    body: executeRequest,
    answer: nothing('ExecuteSubmissionResponse'),
    run: async ({ interactive }, { body }, call) =>
      interactive.executeSubmission(executionOf(body), call),
  }),
  unary({
    method: 'POST',
    path: `${PATH}/executeAndWait`,
    calls: `${SERVICE}/ExecuteSubmissionAndWait`,
    body: executeAndWaitRequest,
    answer: executeAndWaitAnswer,
    run: async ({ interactive }, { body }, call) =>
      interactive.executeSubmissionAndWait(executionOf(body), call),
  }),
  unary({
    method: 'POST',
    path: `${PATH}/executeAndWaitForTransaction`,
    calls: `${SERVICE}/ExecuteSubmissionAndWaitForTransaction`,
    body: executeForTransactionRequest,
    answer: executedTransactionAnswer,
    run: async ({ interactive }, { body }, call) =>
      interactive.executeSubmissionAndWaitForTransaction(executionOf(body), call),
  }),
  unary({
    method: 'GET',
    path: `${PATH}/preferred-package-version`,
    calls: `${SERVICE}/GetPreferredPackageVersion`,
    isDeprecated: true,
    query: [
      { name: 'parties', kind: 'text', isMany: true },
      { name: 'package-name', kind: 'text', isRequired: true },
      { name: 'vetting_valid_at', kind: 'instant' },
      { name: 'synchronizer-id', kind: 'text' },
    ],
    answer: preferredVersionAnswer,
    run: ({ interactive }, { query }, call) =>
      interactive.getPreferredPackageVersion(
        {
          parties: query.all('parties'),
          packageName: query.text('package-name'),
          synchronizerId: query.text('synchronizer-id'),
          vettingValidAt: timestampIn(query.text('vetting_valid_at')),
        },
        call,
      ),
  }),
  unary({
    method: 'POST',
    path: `${PATH}/preferred-packages`,
    calls: `${SERVICE}/GetPreferredPackages`,
    body: preferredPackagesRequest,
    answer: preferredPackagesAnswer,
    run: ({ interactive }, { body }, call) => interactive.getPreferredPackages(body, call),
  }),
];
