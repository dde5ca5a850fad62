import { randomUUID } from 'node:crypto';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CustomerKey, CustomerPatch, CustomerQuery } from '../../../app/ports/customers.ts';
import type { Io } from '../../../app/ports/io.ts';
import type { Customer } from '../../../domain/customer.ts';
import { isTimeZone } from '../../../domain/expiry-policy.ts';
import { isPartyString, trusted } from '../../../domain/ids.ts';
import type { Party } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { fail } from '../../../domain/problems.ts';
import { readId } from '../../kit/address.ts';
import { foreign, parsed, written } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { invalid } from '../../kit/invalid.ts';
import { inPages, sendCsv, wantsCsv } from '../../kit/csv.ts';
import { readPaging, textOf } from '../../kit/list-query.ts';
import type { Raw } from '../../kit/list-query.ts';
import { addTotal, sendPage } from '../../kit/listing.ts';
import { needPermission } from '../../kit/permissions.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { entityTag, readIfMatch } from '../../kit/request-headers.ts';
import { one, pageOrCsv, problems } from '../../kit/responses.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { IdParams, PagingQuery, PolicyHeaders, TOTAL } from '../../schemas.ts';
import { fillBody } from '../lifecycles/writes.ts';
import { CustomerBody, CustomerPatchBody, SearchQuery } from './product-schemas.ts';

const PATH = '/customers';
const TAG = 'customers';

const customerBody = (customer: Customer): JsonRecord => ({
  ...customer,
  emails: [...customer.emails],
  externalReferences: { ...customer.externalReferences },
});

const notThere = (): never => fail('NOT_FOUND', 'no customer of yours has this id');

const EMAIL = /^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\]+$/u;

function isLanguage(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** @throws ProblemError `REQUEST_INVALID` that names the member */
function checkPatch(patch: CustomerPatch): void {
  const { name, emails = [], timeZone, language } = patch;
  if (name?.trim() === '') invalid('name', 'must not be empty');
  const at = emails.findIndex((email) => !EMAIL.test(email));
  if (at >= 0) invalid(`emails.${at}`, 'must be a mail address');
  if (typeof timeZone === 'string' && !isTimeZone(timeZone)) {
    invalid('timeZone', 'must be an IANA time zone, such as Europe/Zurich');
  }
  if (typeof language === 'string' && !isLanguage(language)) {
    invalid('language', 'must be a BCP 47 tag, such as de-CH');
  }
}

function readKey(cursor: string): CustomerKey {
  const [name, id] = parsed(cursor);
  return typeof name === 'string' && typeof id === 'string' ? { name, id } : foreign();
}

function readSearchText(raw: Raw): string | undefined {
  const text = textOf(raw, 'search');
  if (text === undefined || text.length <= HTTP_LIMITS.searchCharsMax) return text;
  return invalid('search', `must have at most ${HTTP_LIMITS.searchCharsMax} characters`);
}

const CUSTOMER_CSV = [
  'id',
  'party',
  'name',
  'shortName',
  'emails',
  'timeZone',
  'language',
  'note',
  'externalReferences',
  'createdAt',
  'updatedAt',
];

/** Yields customers in batches, up to the limit if there is one. */
async function* rowsOf(
  { customers }: HttpDeps,
  query: Omit<CustomerQuery, 'limit'>,
  limit: number | null,
  io: Io,
): AsyncGenerator<JsonRecord, void, undefined> {
  const page = (after: CustomerKey | undefined, size: number) =>
    customers.list({ ...query, ...(after === undefined ? {} : { after }), limit: size }, io);
  for await (const customer of inPages(limit, page, ({ name, id }) => ({ name, id }))) {
    yield customerBody(customer);
  }
}

const sendOne = (reply: FastifyReply, customer: Customer, status = 200): FastifyReply =>
  reply.code(status).header('etag', entityTag(customer.version)).send(customerBody(customer));

function registerList(app: HttpApp, deps: HttpDeps): void {
  app.get(
    PATH,
    {
      config: { produces: 'application/json', alsoProduces: ['text/csv'] },
      schema: {
        operationId: 'listCustomers',
        summary: 'Your customers',
        tags: [TAG],
        querystring: Type.Object({ ...PagingQuery.properties, ...TOTAL, ...SearchQuery }),
        response: { 200: pageOrCsv('Customer', 'By name'), ...problems(400, 401, 403, 406, 503) },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const raw = request.query as Raw;
      const { limit: asked, ...position } = readPaging(raw, readKey);
      const limit = asked ?? HTTP_LIMITS.productPageSize;
      const search = readSearchText(raw);
      const query = {
        provider: callerOf(request).party,
        ...position,
        ...(search === undefined ? {} : { search }),
      };
      const io = readIo(reply);
      if (wantsCsv(request)) {
        const rows = rowsOf(deps, query, asked, io);
        return sendCsv(reply, { name: 'customers', columns: CUSTOMER_CSV, rows });
      }
      await addTotal(request, reply, () => deps.customers.count(query, io));
      const found = await deps.customers.list({ ...query, limit: limit + 1 }, io);
      const cursorOf = ({ name, id }: Customer): string => written([name, id]);
      return sendPage(request, reply, { found, limit, cursorOf, bodyOf: customerBody });
    },
  );
}

const NEW = {
  shortName: null,
  emails: [],
  timeZone: null,
  language: null,
  note: '',
  externalReferences: {},
};

function registerAdd(app: HttpApp, deps: HttpDeps): void {
  app.post(
    PATH,
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'addCustomer',
        summary: 'Name a party',
        description: 'Nothing of a customer goes to the ledger.',
        tags: [TAG],
        'x-body-required': true,
        body: CustomerBody,
        response: {
          201: one('Customer', 'The customer'),
          ...problems(400, 401, 403, 409, 413, 415, 503),
        },
      },
      preValidation: fillBody(true),
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { party, ...members } = request.body as CustomerBody;
      if (!isPartyString(party)) invalid('party', 'must be a whole party');
      checkPatch(members);
      const id = `cus_${randomUUID().replaceAll('-', '')}`;
      const customer = { ...NEW, ...members, id, party: trusted<Party>(party) };
      const added = await deps.customers.add(customer, callerOf(request), readIo(reply));
      if (added === null) return fail('ALREADY_EXISTS', 'the party is a customer already');
      return sendOne(reply, added, 201);
    },
  );
}

function registerOne(app: HttpApp, deps: HttpDeps): void {
  app.get(
    `${PATH}/:id`,
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'getCustomer',
        summary: 'One of your customers',
        tags: [TAG],
        params: IdParams,
        response: {
          200: one('Customer', 'The customer'),
          ...problems(400, 401, 403, 404, 406, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { party } = callerOf(request);
      const found = await deps.customers.byId(readId(request), party, readIo(reply));
      return sendOne(reply, found ?? notThere());
    },
  );
  app.patch(
    `${PATH}/:id`,
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'changeCustomer',
        summary: 'Change what is known of a customer; members that are left out stay',
        tags: [TAG],
        params: IdParams,
        headers: PolicyHeaders,
        'x-body-required': true,
        body: CustomerPatchBody,
        response: {
          200: one('Customer', 'As it is now'),
          ...problems(400, 401, 403, 404, 412, 413, 415, 503),
        },
      },
      preValidation: fillBody(true),
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const patch = request.body as CustomerPatchBody;
      checkPatch(patch);
      const versions = readIfMatch(request.headers['if-match']);
      const by = callerOf(request);
      const io = readIo(reply);
      const changed = await deps.customers.patch(readId(request), by, patch, versions, io);
      if (changed === null) return notThere();
      if ('isAt' in changed) {
        return fail('PRECONDITION_FAILED', `the customer is at version ${changed.isAt}`, {
          extra: { version: changed.isAt },
        });
      }
      return sendOne(reply, changed);
    },
  );
}

function registerRemove(app: HttpApp, deps: HttpDeps): void {
  app.delete(
    `${PATH}/:id`,
    {
      config: { produces: null },
      schema: {
        operationId: 'removeCustomer',
        summary: 'Forget what is known of a customer; licences and their references stay',
        tags: [TAG],
        params: IdParams,
        response: {
          204: { description: 'Forgotten', type: 'null' },
          ...problems(400, 401, 403, 404, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      if (!(await deps.customers.remove(readId(request), callerOf(request), readIo(reply)))) {
        notThere();
      }
      return reply.code(204).send();
    },
  );
}

/** Parties with their names. */
export async function registerCustomers(app: HttpApp, deps: HttpDeps): Promise<void> {
  registerList(app, deps);
  registerAdd(app, deps);
  registerOne(app, deps);
  await app.register(async (own: HttpApp) => {
    needPermission(own, 'admin');
    registerRemove(own, deps);
  });
}
