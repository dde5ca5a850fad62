import type { FastifyInstance } from 'fastify';
import type { ScriptedFaults } from '../faults/plan.ts';
import type { FaultView } from '../faults/fault.ts';
import { BadFault, FAULT_KINDS, FaultConflict, readFault } from '../faults/rules.ts';
import { FaultScript, readScript } from '../faults/script.ts';
import { Refusal } from './plain-errors.ts';

const FAULT_SCHEMA = {
  title: 'A fault that has been asked for: its own fields, and how it is doing',
  type: 'object',
  properties: {
    id: { type: 'string' },
    script: { type: 'string' },
    kind: { enum: Object.keys(FAULT_KINDS) },
    state: { enum: ['active', 'spent', 'over'] },
    matched: { type: 'integer' },
    struck: { type: 'integer' },
    withheld: {
      title: 'Of one that withholds, the completions that it has kept back: participant/offset',
      type: 'array',
      items: { type: 'string' },
    },
  },
  required: ['id', 'kind', 'state', 'matched', 'struck'],
} as const;

/** The schemas of these routes in the answer to `GET /control`. */
export const FAULT_DEFINITIONS = {
  fault: FAULT_SCHEMA,
  faults: {
    title: 'All faults, and how often each kind has struck since the start',
    type: 'object',
    properties: {
      faults: { type: 'array', items: { $ref: '#/$defs/fault' } },
      totals: { type: 'object', additionalProperties: { type: 'integer' } },
    },
    required: ['faults', 'totals'],
  },
  scripted: {
    title: 'A script and its faults',
    type: 'object',
    properties: {
      id: { type: 'string' },
      faults: { type: 'array', items: { $ref: '#/$defs/fault' } },
    },
    required: ['id', 'faults'],
  },
  removed: {
    title: 'How many faults were removed',
    type: 'object',
    properties: { removed: { type: 'integer' } },
    required: ['removed'],
  },
  script: FaultScript,
  newFault: { title: 'A fault to be', oneOf: Object.values(FAULT_KINDS) },
} as const;

const ref = (name: keyof typeof FAULT_DEFINITIONS | 'error') => ({ $ref: `#/$defs/${name}` });

export const FAULT_OPERATIONS = [
  { method: 'GET', path: '/control/faults', answer: ref('faults') },
  {
    method: 'POST',
    path: '/control/faults',
    body: { oneOf: [ref('newFault'), ref('script')] },
    answer: { oneOf: [ref('fault'), ref('scripted')] },
    refusals: { 400: ref('error'), 409: ref('error') },
  },
  { method: 'DELETE', path: '/control/faults', answer: ref('removed') },
  {
    method: 'GET',
    path: '/control/faults/{id}',
    answer: ref('fault'),
    refusals: { 404: ref('error') },
  },
  {
    method: 'DELETE',
    path: '/control/faults/{id}',
    answer: ref('removed'),
    refusals: { 404: ref('error') },
  },
] as const;

/** Converts an error about invalid input to a refusal of the request. Rethrows every other error. */
function refusing<T>(what: () => T): T {
  try {
    return what();
  } catch (error) {
    if (error instanceof BadFault) throw new Refusal(400, error.message);
    if (error instanceof FaultConflict) throw new Refusal(409, error.message);
    throw error;
  }
}

export function addFaultRoutes(scope: FastifyInstance, faults: ScriptedFaults): void {
  const path = '/control/faults';
  scope.get(path, async () => ({ faults: faults.list(), totals: faults.totals }));
  scope.post(path, async (request, reply) => {
    const answer = refusing(() => addFault(faults, request.body));
    return reply.code(201).send(answer);
  });
  scope.delete(path, async () => ({ removed: faults.clear() }));
  scope.get(`${path}/:id`, async (request) => {
    const fault = faults.get(idOf(request));
    if (fault === undefined) throw new Refusal(404, 'No such fault');
    return fault;
  });
  scope.delete(`${path}/:id`, async (request) => {
    const removed = faults.remove(idOf(request));
    if (removed === 0) throw new Refusal(404, 'No such fault');
    return { removed };
  });
}

const idOf = ({ params }: { readonly params: unknown }): string =>
  (params as { readonly id: string }).id;

type Scripted = { readonly id: string; readonly faults: readonly FaultView[] };

function addFault(faults: ScriptedFaults, body: unknown): FaultView | Scripted {
  if (body === null || typeof body !== 'object' || 'kind' in body || !('seed' in body)) {
    return faults.add(readFault(body));
  }
  return faults.addScript(readScript(body));
}
