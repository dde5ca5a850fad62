import { Type } from '@fastify/type-provider-typebox';
import type { PaymentSum } from '../../../app/ports/books.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { readOneOf } from '../../kit/list-query.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { listOf } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { SPAN_QUERY, readSpan } from './statistics.ts';

const GROUPINGS = ['month', 'plan'] as const;

const sumBody =
  (by: (typeof GROUPINGS)[number]) =>
  ({ key, instrument, payments, amount }: PaymentSum): JsonRecord => ({
    [by]: key,
    instrument: { ...instrument },
    payments,
    amount,
  });

const SumsQuery = Type.Object({
  groupBy: Type.Optional(
    Type.Unsafe<string>({ type: 'string', enum: [...GROUPINGS], description: 'month unless told' }),
  ),
  ...SPAN_QUERY,
});

/** Registers the route for the sums of settled payments. */
export function registerPaymentSums(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', '/payments/sums', {
    operationId: 'listPaymentSums',
    summary: 'Sum the payments to the caller, by month or plan, and by instrument',
    tag: 'payments',
    query: SumsQuery,
    reply: { 200: listOf('PaymentSum', 'In the order of the months or plans') },
    problems: [400, 401, 406, 422, 503],
    handle: async (request, reply) => {
      const by = readOneOf(request.query, 'groupBy', GROUPINGS) ?? 'month';
      const span = readSpan(deps, request, 'month');
      const found = await deps.desk.books.sums(callerOf(request).party, span, by, readIo(reply));
      return reply.send(found.map(sumBody(by)));
    },
  });
}
