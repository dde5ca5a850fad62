import { HTTP_LIMITS } from '../../limits.ts';
import { createHash } from 'node:crypto';
import { Type } from '@fastify/type-provider-typebox';
import type { Chart } from '../../../../machines/charts.ts';
import { CHARTS, chartOf } from '../../../../machines/charts.ts';
import { LIFECYCLE_KINDS } from '../../../domain/licensing.ts';
import { fail } from '../../../domain/problems.ts';
import { prefixOf } from '../../kit/public-address.ts';
import { isKnown } from '../../kit/request-headers.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { immutable, listOf } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { optionalText } from '../../kit/schema.ts';

const TAG = 'machines';

/** A version's chart never changes, except for texts that an upgrade may change. */
const CACHE = `private, max-age=${HTTP_LIMITS.chartCacheMs / 1_000}, immutable`;

/**
 * Returns the body of a chart. It omits whether the version is the newest, because the next version changes that; the
 * list of charts shows it.
 */
const bodyOf = ({ newest: _newest, ...chart }: Chart): string => JSON.stringify(chart);

const ANSWERS = new Map(
  CHARTS.map((chart) => {
    const body = bodyOf(chart);
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    return [chart, { body, tag }] as const;
  }),
);

const VERSION = /^[1-9]\d{0,8}$/u;

function registerList(app: HttpApp): void {
  route(app, 'GET', '/machines', {
    operationId: 'listMachines',
    summary: 'List the state machines of all kinds of lifecycles, in all versions',
    description: 'Member `machineVersion` of a lifecycle is the version that took its last step.',
    tag: TAG,
    reply: { 200: listOf('Machine', 'Ordered by kind, newest version first') },
    problems: [401, 406, 503],
    handle: async (request, reply) => {
      const base = `${prefixOf(request)}/machines`;
      return reply.send(
        CHARTS.map(({ kind, version, title, newest, states }) => ({
          kind,
          version,
          title,
          newest,
          states: states.map(({ id }) => id),
          href: `${base}/${kind}/${version}`,
        })),
      );
    },
  });
}

function registerOne(app: HttpApp): void {
  route(app, 'GET', '/machines/:kind/:version', {
    operationId: 'getMachine',
    summary:
      'Read one version of a machine as a chart: states, transitions, permitted parties, and a layout',
    description: 'The answer may be cached: the states and transitions of a version never change.',
    tag: TAG,
    params: Type.Object({
      kind: Type.String({ description: LIFECYCLE_KINDS.join(', '), examples: ['license'] }),
      version: Type.String({ description: 'A whole number', examples: ['3'] }),
    }),
    headers: Type.Object({
      'If-None-Match': optionalText('The ETag last seen'),
    }),
    reply: { ...immutable('MachineChart', 'The chart') },
    problems: [401, 404, 406, 503],
    handle: async (request, reply) => {
      const { kind, version } = request.params;
      const chart = VERSION.test(version) ? chartOf(kind, Number(version)) : undefined;
      const answer = chart === undefined ? undefined : ANSWERS.get(chart);
      if (answer === undefined)
        return fail('NOT_FOUND', `no version ${version} of a machine ${kind}`);
      const { body, tag } = answer;
      void reply.header('etag', tag).header('cache-control', CACHE);
      if (isKnown(request.headers['if-none-match'], tag)) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(body);
    },
  });
}

/** Registers the routes for the charts of the state machines, for pages that draw them. */
export function registerMachines(app: HttpApp): void {
  registerList(app);
  registerOne(app);
}
