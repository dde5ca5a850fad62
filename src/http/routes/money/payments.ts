import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Payment, PaymentKey, PaymentQuery, PaymentRow } from '../../../app/ports/books.ts';
import { PAYMENT_STATES } from '../../../app/ports/books.ts';
import type { Io } from '../../../app/ports/io.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { fail } from '../../../domain/problems.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { readId } from '../../kit/address.ts';
import { inPages, sendCsv, wantsCsv } from '../../kit/csv.ts';
import { INT64_MAX, foreign, parsed, written } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { anyOf, given, instantOrAge, one, several, text } from '../../kit/filter-query.ts';
import type { Raw } from '../../kit/list-query.ts';
import { readLicenseNum, readPaging, readParty } from '../../kit/list-query.ts';
import { addTotal, sendPage } from '../../kit/listing.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { pageOrCsv, plain, problems } from '../../kit/responses.ts';
import { IdParams, PagingQuery, TOTAL } from '../../schemas.ts';
import { registerReceipts } from './receipts.ts';

const optional = (name: string, value: unknown): object =>
  value === null ? {} : { [name]: value };

const receiptState = ({ state, receiptNo }: Payment): 'none' | 'pending' | 'numbered' => {
  if (state !== 'settled') return 'none';
  return receiptNo === null ? 'pending' : 'numbered';
};

export const paymentBody = (payment: Payment): JsonRecord => ({
  renewalId: payment.renewalId,
  ...optional('licenseId', payment.licenseId),
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
];

const OFFSET = /^\d{1,19}$/u;
const NODE = /^\d{1,9}$/u;

/** @throws ProblemError `REQUEST_INVALID` when Tenure cannot have written the cursor */
function readKey(cursor: string): PaymentKey {
  const [offset, node] = parsed(cursor);
  if (typeof offset !== 'string' || typeof node !== 'string') return foreign();
  const isOurs = OFFSET.test(offset) && BigInt(offset) <= INT64_MAX && NODE.test(node);
  return isOurs ? { offset: BigInt(offset), node: Number(node) } : foreign();
}

const writeKey = ({ key }: PaymentRow): string => written([String(key.offset), String(key.node)]);

const PaymentsQuery = Type.Object({
  ...PagingQuery.properties,
  ...TOTAL,
  user: text('Only those of this user', 'app_user_quickstart-root-1::1220aa01'),
  provider: text('Only those of this provider', 'app_provider_quickstart-root-1::1220aa02'),
  state: several(PAYMENT_STATES, 'Any of these'),
  licenseNum: Type.Optional(Type.Integer({ minimum: 0, description: 'Licences of this number' })),
  licenseId: text('Only those of this licence', 'license-a1b2c3d4e5f60718293a'),
  plan: text('Only those under this plan', 'standard'),
  from: text('Requested not longer ago (ISO 8601 duration), or at or after (instant)', 'P30D'),
  until: text('Requested longer ago (ISO 8601 duration), or before (instant)', 'P1D'),
});

/** Reads the query except the page size. @throws ProblemError `REQUEST_INVALID` that names the parameter */
function readQuery(
  deps: HttpDeps,
  request: FastifyRequest,
): Omit<PaymentQuery, 'limit'> & { readonly asked: number | null } {
  const raw = request.query as Raw;
  const nowMs = deps.wallClock.nowMs();
  const { limit: asked, ...position } = readPaging(raw, readKey);
  const filters = given({
    user: readParty(raw, 'user'),
    provider: readParty(raw, 'provider'),
    states: anyOf(raw, 'state', PAYMENT_STATES),
    licenseNum: readLicenseNum(raw),
    licenseId: one(raw, 'licenseId'),
    plan: one(raw, 'plan'),
    from: instantOrAge(raw, 'from', nowMs),
    until: instantOrAge(raw, 'until', nowMs),
  });
  return { party: callerOf(request).party, ...filters, ...position, asked };
}

/** Yields rows in batches from the position of the query on, up to the limit if there is one. */
async function* rowsOf(
  { desk: { books } }: HttpDeps,
  query: Omit<PaymentQuery, 'limit'>,
  limit: number | null,
  io: Io,
): AsyncGenerator<JsonRecord, void, undefined> {
  const page = (after: PaymentKey | undefined, size: number) =>
    books.payments({ ...query, ...(after === undefined ? {} : { after }), limit: size }, io);
  for await (const payment of inPages(limit, page, ({ key }) => key)) yield paymentBody(payment);
}

function registerList(app: HttpApp, deps: HttpDeps): void {
  app.get(
    '/payments',
    {
      config: { produces: 'application/json', alsoProduces: ['text/csv'] },
      schema: {
        operationId: 'listPayments',
        summary: 'What renewals ask for, and what was paid',
        description:
          `Of the caller as provider or user. Without \`limit\` a page of ${HTTP_LIMITS.opsPageSize}, as CSV all of ` +
          'them. What the ledger says is here within 30 seconds.',
        tags: ['payments'],
        querystring: PaymentsQuery,
        response: {
          200: pageOrCsv('Payment', 'The newest request first'),
          ...problems(400, 401, 406, 422, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { asked, ...query } = readQuery(deps, request);
      const io = readIo(reply);
      if (wantsCsv(request)) {
        const rows = rowsOf(deps, query, asked, io);
        return sendCsv(reply, { name: 'payments', columns: PAYMENT_CSV, rows });
      }
      const limit = asked ?? HTTP_LIMITS.opsPageSize;
      await addTotal(request, reply, () => deps.desk.books.countPayments(query, io));
      return sendPage(request, reply, {
        found: await deps.desk.books.payments({ ...query, limit: limit + 1 }, io),
        limit,
        cursorOf: writeKey,
        bodyOf: paymentBody,
      });
    },
  );
}

/** Unknown payments and those of other parties get the same answer. */
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
  app.get(
    '/payments/:id',
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'getPayment',
        summary: 'The payment of a renewal',
        tags: ['payments'],
        params: IdParams,
        response: { 200: plain('Payment', 'It'), ...problems(400, 401, 404, 406, 503) },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) =>
      reply.send(paymentBody(await findPayment(deps, request, readIo(reply)))),
  );
}

/** Renewals as payments. */
export function registerPayments(app: HttpApp, deps: HttpDeps): void {
  registerList(app, deps);
  registerOne(app, deps);
  registerReceipts(app, deps, { find: findPayment, body: paymentBody, csv: PAYMENT_CSV });
}
