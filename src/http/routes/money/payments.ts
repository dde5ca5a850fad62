import type { FastifyRequest } from 'fastify';
import type { Payment, PaymentKey, PaymentRow } from '../../../app/ports/books.ts';
import { PAYMENT_STATES } from '../../../app/ports/books.ts';
import type { Io } from '../../../app/ports/io.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { fail } from '../../../domain/problems.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { readId } from '../../kit/address.ts';
import { INT64_MAX, foreign, parsed } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import {
  LICENSE_NUM,
  SIDES,
  instantOrAge,
  member,
  one,
  sortOf,
  text,
  wordsOf,
} from '../../kit/filter-query.ts';
import type { Asked } from '../../kit/paged-list.ts';
import { registerPagedList } from '../../kit/paged-list.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { IdParams } from '../../schemas.ts';
import { registerReceipts } from './receipts.ts';
import { orderOf } from '../../kit/list-query.ts';

const optional = (name: string, value: unknown): object =>
  value === null ? {} : { [name]: value };

const receiptState = ({ state, receiptNo }: Payment): 'none' | 'pending' | 'numbered' => {
  if (state !== 'settled') return 'none';
  return receiptNo === null ? 'pending' : 'numbered';
};

export const paymentBody = (payment: Payment): JsonRecord => ({
  renewalId: payment.renewalId,
  ...optional('licenseId', payment.licenseId),
  ...optional('licenseLifecycleId', payment.licenseId),
  licenseNum: Number(payment.licenseNum),
  ...optional('reference', payment.reference),
  provider: payment.provider,
  user: payment.user,
  ...optional('customer', payment.customer),
  ...optional('plan', payment.plan),
  amount: payment.amount,
  instrument: { ...payment.instrument },
  description: payment.description,
  state: payment.state,
  requestedAt: payment.requestedAt,
  settleBefore: payment.settleBefore,
  ...optional('endedAt', payment.endedAt),
  ...optional('updateId', payment.updateId),
  offset: String(payment.offset),
  ...optional('validFrom', payment.validFrom),
  ...optional('validUntil', payment.validUntil),
  ...(payment.receiptNo === null ? {} : { receiptNo: Number(payment.receiptNo) }),
  receiptState: receiptState(payment),
});

export const PAYMENT_CSV = [
  'receiptNo',
  'receiptState',
  'state',
  'renewalId',
  'licenseId',
  'reference',
  'licenseNum',
  'provider',
  'user',
  'customer',
  'plan.id',
  'plan.version',
  'amount',
  'instrument.id',
  'instrument.admin',
  'requestedAt',
  'settleBefore',
  'endedAt',
  'validFrom',
  'validUntil',
  'description',
  'updateId',
  'offset',
  // New columns are appended at the end, because programs may identify a column by its position.
  'licenseLifecycleId',
];

const OFFSET = /^\d{1,19}$/u;
const NODE = /^\d{1,9}$/u;

/** @throws ProblemError `REQUEST_INVALID` if Tenure cannot have issued the cursor */
function readKey(cursor: string): PaymentKey {
  const [offset, node] = parsed(cursor);
  if (typeof offset !== 'string' || typeof node !== 'string') return foreign();
  const isOurs = OFFSET.test(offset) && BigInt(offset) <= INT64_MAX && NODE.test(node);
  return isOurs ? { offset: BigInt(offset), node: Number(node) } : foreign();
}

const FILTER = {
  ...SIDES,
  states: wordsOf('state', PAYMENT_STATES, 'Any of these'),
  licenseNum: LICENSE_NUM,
  licenseId: member(
    'licenseId',
    text('Only those of this licence', 'license-a1b2c3d4e5f60718293a'),
    one,
  ),
  plan: member('plan', text('Only those under this plan', 'standard'), one),
  from: member(
    'since',
    text('Requested not longer ago (ISO 8601 duration), or at or after (instant)', 'P30D'),
    instantOrAge,
  ),
  until: member(
    'until',
    text('Requested longer ago (ISO 8601 duration), or before (instant)', 'P1D'),
    instantOrAge,
  ),
  sort: sortOf('-requestedAt', 'requestedAt'),
};

function queryOf({
  request,
  filter: { party: other, sort, ...filter },
}: Pick<Asked<typeof FILTER, PaymentKey>, 'request' | 'filter'>) {
  const sides = other === undefined ? {} : { other };
  return { party: callerOf(request).party, ...sides, ...filter, order: orderOf(sort) };
}

const registerList = (app: HttpApp, deps: HttpDeps): void =>
  registerPagedList(app, deps, {
    path: '/payments',
    tag: 'payments',
    operationId: 'listPayments',
    summary: 'List the payments of renewals',
    description:
      'Lists the payments of the caller as provider or user. Ledger updates appear within 30 seconds.',
    inOrder: 'Ordered by the time of the request, newest first unless `sort` says otherwise',
    entry: 'Payment',
    statuses: [400, 401, 406, 422, 503],
    filter: FILTER,
    pageSize: HTTP_LIMITS.opsPageSize,
    csv: { name: 'payments', columns: PAYMENT_CSV },
    readKey,
    keyOf: ({ key }: PaymentRow) => [String(key.offset), String(key.node)],
    bodyOf: paymentBody,
    find: ({ page, io, ...asked }) => deps.desk.books.payments({ ...queryOf(asked), ...page }, io),
    count: ({ io, ...asked }) => deps.desk.books.countPayments(queryOf(asked), io),
  });

/** Finds a payment that the caller may see. Unknown payments and those of other parties get the same answer. */
export async function findPayment(
  deps: HttpDeps,
  request: FastifyRequest,
  io: Io,
): Promise<Payment> {
  const id = readId(request);
  const payment = await deps.desk.books.payment(id, callerOf(request).party, io);
  return payment ?? fail('NOT_FOUND', `no payment of a renewal ${id}`);
}

function registerOne(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', '/payments/:id', {
    operationId: 'getPayment',
    summary: 'Read the payment of a renewal',
    tag: 'payments',
    params: IdParams,
    reply: { 200: plain('Payment', 'It') },
    problems: [400, 401, 404, 406, 503],
    handle: async (request, reply) =>
      reply.send(paymentBody(await findPayment(deps, request, readIo(reply)))),
  });
}

/** Registers the routes that show renewals as payments. */
export function registerPayments(app: HttpApp, deps: HttpDeps): void {
  registerList(app, deps);
  registerOne(app, deps);
  registerReceipts(app, deps, { find: findPayment, body: paymentBody, csv: PAYMENT_CSV });
}
