import type { FastifyRequest } from 'fastify';
import type { Payment } from '../../../app/ports/books.ts';
import type { Io } from '../../../app/ports/io.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { fail } from '../../../domain/problems.ts';
import { prefers } from '../../kit/accept.ts';
import type { CsvColumns } from '../../kit/csv.ts';
import { sendCsv, wantsCsv } from '../../kit/csv.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { readIo } from '../../kit/request-context.ts';
import { route } from '../../kit/route.ts';
import { IdParams } from '../../schemas.ts';

/* The receipt of a settled renewal, as a page to print or as a file. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (sign) => ENTITIES[sign] ?? sign);

/** Returns the part of a party's ID that people chose. */
const hint = (party: string): string => party.split('::')[0] ?? party;

const instant = (text: string | null): string => (text ?? '').replace(/\.\d+Z$/u, 'Z');

const linesOf = (payment: Payment): readonly (readonly [string, string])[] => [
  ['Receipt', payment.receiptNo === null ? 'The number is not given yet' : `${payment.receiptNo}`],
  ['Paid to', `${hint(payment.provider)} (${payment.provider})`],
  ['Paid by', `${payment.customer ?? hint(payment.user)} (${payment.user})`],
  ['Licence', payment.reference ?? `number ${payment.licenseNum}`],
  ...(payment.plan === null
    ? []
    : [['Plan', `${payment.plan.id}, version ${payment.plan.version}`] as const]),
  ['For', payment.description],
  ['From', instant(payment.validFrom)],
  ['Until', instant(payment.validUntil)],
  ['Amount', `${payment.amount} ${payment.instrument.id}`],
  ['Instrument', `${payment.instrument.id} of ${payment.instrument.admin}`],
  ['Paid at', `${instant(payment.endedAt)} (ledger time)`],
  ['Ledger update', payment.updateId ?? 'not known'],
];

const STYLE = `body{font:16px/1.5 sans-serif;max-width:46em;margin:2em auto;padding:0 1em;color:#111;background:#fff}
th{text-align:left;vertical-align:top;padding:.2em 1.5em .2em 0;white-space:nowrap}td{overflow-wrap:anywhere}`;

function pageOf(payment: Payment): string {
  const rows = linesOf(payment)
    .map(
      ([head, text]) => `<tr><th scope="row">${escaped(head)}</th><td>${escaped(text)}</td></tr>`,
    )
    .join('\n');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Receipt ${payment.receiptNo ?? ''}</title><style>${STYLE}</style></head>
<body><main><h1>Receipt</h1><table>
${rows}
</table></main></body></html>
`;
}

const POLICY = `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'`;

/** Functions that find and format the payment of a receipt, as lists of payments do. */
interface Payments {
  readonly find: (deps: HttpDeps, request: FastifyRequest, io: Io) => Promise<Payment>;
  readonly body: (payment: Payment) => JsonRecord;
  readonly csv: CsvColumns;
}

async function* only(row: JsonRecord): AsyncGenerator<JsonRecord, void, undefined> {
  yield row;
}

export function registerReceipts(app: HttpApp, deps: HttpDeps, payments: Payments): void {
  route(app, 'GET', '/payments/:id/receipt', {
    operationId: 'getReceipt',
    summary: 'The receipt of a settled renewal',
    description: 'A page to print for browsers. A number that is not given yet says so.',
    tag: 'payments',
    params: IdParams,
    reply: {
      200: {
        description: 'The payment, as the caller takes it',
        content: {
          'application/json': { schema: { $ref: 'Payment#' } },
          'text/html': { schema: { type: 'string' } },
          'text/csv': { schema: { type: 'string' } },
        },
      },
    },
    problems: [400, 401, 404, 406, 503],
    alsoProduces: ['text/html', 'text/csv'],
    handle: async (request, reply) => {
      const payment = await payments.find(deps, request, readIo(reply));
      const { body: bodyOf, csv: columns } = payments;
      if (payment.state !== 'settled')
        fail('NOT_FOUND', 'nothing was paid, so no receipt is there');
      if (wantsCsv(request)) {
        const name = `receipt-${payment.receiptNo ?? 'pending'}`;
        return sendCsv(reply, { name, columns, rows: only(bodyOf(payment)) });
      }
      if (!prefers(request.headers.accept, { named: 'text/html', over: 'application/json' })) {
        return reply.send(bodyOf(payment));
      }
      return reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', POLICY)
        .send(pageOf(payment));
    },
  });
}
