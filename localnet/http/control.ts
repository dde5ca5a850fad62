import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ScriptedFaults } from '../faults/plan.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import { parseTimestamp, timestampText } from '../ledger/lf-values.ts';
import { addResetRoutes, RESET_DEFINITIONS, RESET_OPERATIONS } from './control-reset.ts';
import type { ResetOptions } from './control-reset.ts';
import { readJsonBodies, Refusal } from './plain-errors.ts';
import { addFaultRoutes, FAULT_DEFINITIONS, FAULT_OPERATIONS } from './control-faults.ts';
import {
  addControlPackageRoutes,
  PACKAGE_DEFINITIONS,
  PACKAGE_OPERATIONS,
} from './control-packages.ts';
import {
  addParticipantRoutes,
  PARTICIPANT_DEFINITIONS,
  PARTICIPANT_OPERATIONS,
} from './control-participants.ts';

/** Ledger time as control routes return it. */
interface LedgerTime {
  /** `wall`: advances by itself and cannot be set. `static`: changes only when it is set. */
  readonly mode: 'wall' | 'static';
  /** ISO-8601 with microseconds. */
  readonly now: string;
}

interface SetTime {
  /** The new time: an ISO-8601 instant, not before the current time. */
  readonly to?: string;
  /** The number of seconds to advance, as an alternative to `to`. */
  readonly advanceSeconds?: number;
}

const SECONDS_MAX = 100 * 366 * 24 * 60 * 60;

const TIME_SCHEMA = {
  title: 'Ledger time',
  type: 'object',
  properties: {
    mode: { enum: ['wall', 'static'] },
    now: { type: 'string', format: 'date-time' },
  },
  required: ['mode', 'now'],
} as const;

const SET_TIME_SCHEMA = {
  title: 'Travel forward; only where time is static',
  type: 'object',
  oneOf: [
    {
      properties: { to: { type: 'string', format: 'date-time' } },
      required: ['to'],
      additionalProperties: false,
    },
    {
      properties: { advanceSeconds: { type: 'number', minimum: 0, maximum: SECONDS_MAX } },
      required: ['advanceSeconds'],
      additionalProperties: false,
    },
  ],
} as const;

const ERROR_SCHEMA = {
  title: 'Why a request was refused',
  type: 'object',
  properties: { error: { type: 'string' } },
  required: ['error'],
} as const;

/** The answer to `GET /control`: the schemas of requests, and the paths to which they apply. */
const DESCRIPTION = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'LocalNet control, loopback only',
  $defs: {
    time: TIME_SCHEMA,
    setTime: SET_TIME_SCHEMA,
    error: ERROR_SCHEMA,
    ...FAULT_DEFINITIONS,
    ...PARTICIPANT_DEFINITIONS,
    ...PACKAGE_DEFINITIONS,
    ...RESET_DEFINITIONS,
  },
  operations: [
    { method: 'GET', path: '/control/time', answer: { $ref: '#/$defs/time' } },
    {
      method: 'POST',
      path: '/control/time',
      body: { $ref: '#/$defs/setTime' },
      answer: { $ref: '#/$defs/time' },
      refusals: { 400: { $ref: '#/$defs/error' }, 409: { $ref: '#/$defs/error' } },
    },
    ...FAULT_OPERATIONS,
    ...PARTICIPANT_OPERATIONS,
    ...PACKAGE_OPERATIONS,
    ...RESET_OPERATIONS,
  ],
} as const;

export interface ControlOptions extends ResetOptions {
  readonly faults: ScriptedFaults;
}

/**
 * Adds routes that control the simulation. They need no token, so they answer only callers on this machine that use a
 * loopback name. Pages of other sites cannot reach them through a browser.
 */
export function addControlRoutes(app: FastifyInstance, options: ControlOptions): void {
  // The routes have a scope of their own, so that its hook checks every spelling of their paths first.
  app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      if (isFromThisMachine(request)) return;
      await reply.code(403).send({ error: 'Control routes answer on loopback only' });
    });
    readJsonBodies(scope);
    scope.addContentTypeParser<string>('*', { parseAs: 'string' }, (_request, body, done) => {
      if (body === '') done(null, undefined);
      else done(new Refusal(415, 'The body must be application/json'));
    });
    scope.get('/control', async () => DESCRIPTION);
    addTimeRoutes(scope, options.ledger);
    addFaultRoutes(scope, options.faults);
    addParticipantRoutes(scope, options.ledger);
    addControlPackageRoutes(scope, options.ledger);
    addResetRoutes(scope, options);
  });
}

function addTimeRoutes(scope: FastifyInstance, current: () => Ledger): void {
  const tellTime = (ledger: Ledger): LedgerTime => ({
    mode: ledger.isTimeStatic ? 'static' : 'wall',
    now: timestampText(ledger.nowMicros()),
  });
  scope.get('/control/time', async () => tellTime(current()));
  scope.post('/control/time', { schema: { body: SET_TIME_SCHEMA } }, async (request, reply) => {
    const ledger = current();
    if (!ledger.isTimeStatic) {
      return reply.code(409).send({
        error: 'Time is wall time here; start LocalNet with LOCALNET_TIME=static to travel',
      });
    }
    ledger.setTime(targetMicros(request.body as SetTime, ledger.nowMicros()));
    return tellTime(ledger);
  });
}

function targetMicros({ to, advanceSeconds }: SetTime, nowMicros: bigint): bigint {
  if (to === undefined) return nowMicros + BigInt(Math.round((advanceSeconds ?? 0) * 1_000_000));
  const micros = parseTimestamp(to);
  if (micros === undefined) throw new LedgerError('INVALID_ARGUMENT', `Not an instant: ${to}`);
  return micros;
}

const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_HOST = /^(([\w-]+\.)*localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/**
 * The `Host` header is checked too. Otherwise, a page of a site whose own name resolves to 127.0.0.1 could send
 * requests here.
 */
const isFromThisMachine = (request: FastifyRequest): boolean =>
  LOOPBACK_ADDRESS.test(request.socket.remoteAddress ?? '') &&
  LOOPBACK_HOST.test(request.headers.host ?? '');
