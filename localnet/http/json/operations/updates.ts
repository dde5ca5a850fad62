import type { Transaction } from '../../../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import { invalidArgument } from '../../../ledger/submission-checks.ts';
import { stream, unary } from '../operation.ts';
import type { Given, Operation } from '../operation.ts';
import { longOfPath } from '../query.ts';
import type { Shape } from '../shape.ts';
import {
  transactionAnswer,
  transactionByIdRequest,
  transactionByOffsetRequest,
  transactionTreeAnswer,
  updateAnswer,
  updateByIdRequest,
  updateByOffsetRequest,
  updatesAnswer,
  updatesPageAnswer,
  updatesPageRequest,
  updatesRequest,
  updateTreesAnswer,
} from '../shapes/updates.ts';
import type { UpdatesRequest } from '../shapes/updates.ts';
import { pointwiseFormatOf, treeUpdateFormatOf, updatesOf } from '../transcoding.ts';

const PATH = '/v2/updates';

const updates = <A>(path: string, answer: Shape<A>, isForTrees: boolean, isDeprecated: boolean) =>
  stream({
    path,
    calls: 'UpdateService/GetUpdates',
    isDeprecated,
    body: updatesRequest,
    answer,
    isOpenEnded: ({ endInclusive }: UpdatesRequest) => endInclusive === undefined,
    run: ({ updates: service }, body, call) =>
      service.getUpdates(updatesOf(body, isForTrees), call),
  });

interface FoundUpdate {
  readonly update?: { readonly $case: string; readonly value?: object } | undefined;
}

/**
 * Returns the transaction, for older clients that can only handle transactions. Throws INVALID_ARGUMENT for any other
 * kind of update.
 */
function transactionIn({ update }: FoundUpdate): { readonly transaction: Transaction } {
  if (update?.$case !== 'transaction') {
    throw invalidArgument('Expected non-empty transaction, got empty');
  }
  return { transaction: update.value as Transaction };
}

const parties = [{ name: 'parties', kind: 'text', isMany: true }] as const;
const treeFormatFor = ({ query }: Given<unknown>) => treeUpdateFormatOf(query.all('parties'));

export const updateOperations: readonly Operation[] = [
  updates(PATH, updatesAnswer, false, false),
  updates(`${PATH}/flats`, updatesAnswer, false, true),
  updates(`${PATH}/trees`, updateTreesAnswer, true, true),
  unary({
    method: 'GET',
    path: `${PATH}/transaction-tree-by-offset/{offset}`,
    calls: 'UpdateService/GetUpdateByOffset',
    isDeprecated: true,
    query: parties,
    answer: transactionTreeAnswer,
    run: async ({ updates: service }, given, call) => {
      const offset = longOfPath(given.path, 'offset');
      const request = { offset, updateFormat: treeFormatFor(given) };
      return transactionIn(await service.getUpdateByOffset(request, call));
    },
  }),
  unary({
    method: 'POST',
    path: `${PATH}/transaction-by-offset`,
    calls: 'UpdateService/GetUpdateByOffset',
    isDeprecated: true,
    body: transactionByOffsetRequest,
    answer: transactionAnswer,
    run: async ({ updates: service }, { body }, call) => {
      const request = { offset: body.offset, updateFormat: pointwiseFormatOf(body) };
      return transactionIn(await service.getUpdateByOffset(request, call));
    },
  }),
  unary({
    method: 'POST',
    path: `${PATH}/update-by-offset`,
    calls: 'UpdateService/GetUpdateByOffset',
    body: updateByOffsetRequest,
    answer: updateAnswer,
    run: ({ updates: service }, { body }, call) => service.getUpdateByOffset(body, call),
  }),
  unary({
    method: 'POST',
    path: `${PATH}/transaction-by-id`,
    calls: 'UpdateService/GetUpdateById',
    isDeprecated: true,
    body: transactionByIdRequest,
    answer: transactionAnswer,
    run: async ({ updates: service }, { body }, call) => {
      const request = { updateId: body.updateId, updateFormat: pointwiseFormatOf(body) };
      return transactionIn(await service.getUpdateById(request, call));
    },
  }),
  unary({
    method: 'POST',
    path: `${PATH}/update-by-id`,
    calls: 'UpdateService/GetUpdateById',
    body: updateByIdRequest,
    answer: updateAnswer,
    run: ({ updates: service }, { body }, call) => service.getUpdateById(body, call),
  }),
  unary({
    method: 'GET',
    path: `${PATH}/transaction-tree-by-id/{update-id}`,
    calls: 'UpdateService/GetUpdateById',
    isDeprecated: true,
    query: parties,
    answer: transactionTreeAnswer,
    run: async ({ updates: service }, given, call) => {
      const updateId = given.path['update-id'] ?? '';
      const request = { updateId, updateFormat: treeFormatFor(given) };
      return transactionIn(await service.getUpdateById(request, call));
    },
  }),
  unary({
    method: 'POST',
    path: `${PATH}/get-updates-page`,
    calls: 'UpdateService/GetUpdatesPage',
    body: updatesPageRequest,
    answer: updatesPageAnswer,
    run: ({ updates: service }, { body }, call) => service.getUpdatesPage(body, call),
  }),
];
