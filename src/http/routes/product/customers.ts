import { randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { CustomerKey, CustomerPatch } from '../../../app/ports/customers.ts';
import type { Customer } from '../../../domain/customer.ts';
import { isTimeZone } from '../../../domain/expiry-policy.ts';
import { isPartyString, trusted } from '../../../domain/ids.ts';
import type { Party } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { fail } from '../../../domain/problems.ts';
import { readId } from '../../kit/address.ts';
import { foreign, parsed } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { invalid } from '../../kit/invalid.ts';
import { member, sortOf } from '../../kit/filter-query.ts';
import { textOf, orderOf } from '../../kit/list-query.ts';
import type { Raw } from '../../kit/list-query.ts';
import { registerPagedList } from '../../kit/paged-list.ts';
import { needPermission } from '../../kit/permissions.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { entityTag, readIfMatch } from '../../kit/request-headers.ts';
import { one } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { IdParams, PolicyHeaders } from '../../schemas.ts';
import { SearchQuery, CustomerBody, CustomerPatchBody } from './product-schemas.ts';

const PATH = '/customers';
const TAG = 'customers';

const customerBody = (customer: Customer): JsonRecord => ({
  ...customer,
  emails: [...customer.emails],
  unsubscribedEmails: [...customer.unsubscribedEmails],
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

/** Checks the values of a customer. @throws ProblemError `REQUEST_INVALID` that names the member */
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
  'unsubscribedEmails',
  'timeZone',
  'language',
  'note',
  'externalReferences',
  'createdAt',
  'updatedAt',
];

const sendOne = (reply: FastifyReply, customer: Customer, status = 200): FastifyReply =>
  reply.code(status).header('etag', entityTag(customer.version)).send(customerBody(customer));

const registerList = (app: HttpApp, deps: HttpDeps): void =>
  registerPagedList(app, deps, {
    path: PATH,
    tag: TAG,
    operationId: 'listCustomers',
    summary: 'Your customers',
    inOrder: 'Ordered by name, unless `sort` says otherwise',
    entry: 'Customer',
    filter: {
      sort: sortOf('name', '-name'),
      search: member('search', SearchQuery.search, readSearchText),
    },
    csv: { name: 'customers', columns: CUSTOMER_CSV },
    readKey,
    keyOf: ({ name, id }: Customer) => [name, id],
    bodyOf: customerBody,
    find({ request, filter: { sort, ...filter }, page, io }) {
      const provider = callerOf(request).party;
      return deps.customers.list({ provider, order: orderOf(sort), ...filter, ...page }, io);
    },
    count: ({ request, filter: { sort: _sort, ...filter }, io }) =>
      deps.customers.count({ provider: callerOf(request).party, ...filter }, io),
  });

const NEW = {
  shortName: null,
  emails: [],
  timeZone: null,
  language: null,
  note: '',
  externalReferences: {},
};

function registerAdd(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', PATH, {
    operationId: 'addCustomer',
    summary: 'Name a party',
    description: 'Nothing of a customer goes to the ledger.',
    tag: TAG,
    body: CustomerBody,
    reply: { 201: one('Customer', 'The customer') },
    problems: [400, 401, 403, 409, 413, 415, 503],
    handle: async (request, reply) => {
      const { party, ...members } = request.body;
      if (!isPartyString(party)) invalid('party', 'must be a whole party');
      checkPatch(members);
      const id = `cus_${randomUUID().replaceAll('-', '')}`;
      const customer = { ...NEW, ...members, id, party: trusted<Party>(party) };
      const added = await deps.customers.add(customer, callerOf(request), readIo(reply));
      if (added === null) return fail('ALREADY_EXISTS', 'the party is a customer already');
      return sendOne(reply, added, 201);
    },
  });
}

function registerOne(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', `${PATH}/:id`, {
    operationId: 'getCustomer',
    summary: 'One of your customers',
    tag: TAG,
    params: IdParams,
    reply: { 200: one('Customer', 'The customer') },
    problems: [400, 401, 403, 404, 406, 503],
    handle: async (request, reply) => {
      const { party } = callerOf(request);
      const found = await deps.customers.byId(readId(request), party, readIo(reply));
      return sendOne(reply, found ?? notThere());
    },
  });
  route(app, 'PATCH', `${PATH}/:id`, {
    operationId: 'changeCustomer',
    summary: 'Change what is known of a customer; members that are left out stay',
    tag: TAG,
    params: IdParams,
    headers: PolicyHeaders,
    body: CustomerPatchBody,
    reply: { 200: one('Customer', 'As it is now') },
    problems: [400, 401, 403, 404, 412, 413, 415, 503],
    handle: async (request, reply) => {
      const patch = request.body;
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
  });
}

function registerRemove(app: HttpApp, deps: HttpDeps): void {
  route(app, 'DELETE', `${PATH}/:id`, {
    operationId: 'removeCustomer',
    summary: 'Forget what is known of a customer; licences and their references stay',
    tag: TAG,
    params: IdParams,
    reply: { 204: { description: 'Forgotten', type: 'null' } },
    problems: [400, 401, 403, 404, 503],
    produces: null,
    handle: async (request, reply) => {
      if (!(await deps.customers.remove(readId(request), callerOf(request), readIo(reply)))) {
        notThere();
      }
      return reply.code(204).send();
    },
  });
}

/** Registers the routes of customers, which are parties with the names that the provider gives them. */
export async function registerCustomers(app: HttpApp, deps: HttpDeps): Promise<void> {
  registerList(app, deps);
  registerAdd(app, deps);
  registerOne(app, deps);
  await app.register(async (own: HttpApp) => {
    needPermission(own, 'admin');
    registerRemove(own, deps);
  });
}
