import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LicenseFigures, RevenueFigures, Span } from '../../../app/ports/books.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { isTimeZone } from '../../../domain/expiry-policy.ts';
import { DAY_MS } from '../../../domain/time.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { instantOrAge, one, text } from '../../kit/filter-query.ts';
import { invalid } from '../../kit/invalid.ts';
import type { Raw } from '../../kit/list-query.ts';
import { isInstant, readOneOf } from '../../kit/list-query.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { listOf } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';

/* Figures of a provider by day or month of a time zone. The number of periods in an answer is limited. */

const PERIODS = ['day', 'month'] as const;

/** The maximum and the default number of periods in an answer. */
const BOUNDS = {
  day: { max: HTTP_LIMITS.statisticsDaysMax, usual: HTTP_LIMITS.statisticsDays },
  month: { max: HTTP_LIMITS.statisticsMonthsMax, usual: HTTP_LIMITS.statisticsMonths },
} as const;

function readZone(deps: HttpDeps, raw: Raw): string {
  const zone = one(raw, 'timeZone') ?? deps.timeZone ?? 'UTC';
  if (isTimeZone(zone)) return zone;
  return invalid('timeZone', 'must be a time zone such as Europe/Zurich');
}

/** Returns the day of an instant in a time zone, such as `2026-01-31`. */
const dayOf = (ms: number, timeZone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(ms);

const dayMs = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** Reads a day. An instant, or a duration before now, is converted to its day in the time zone. */
function readDay(raw: Raw, name: string, nowMs: number, timeZone: string): string | undefined {
  const given = one(raw, name);
  if (given !== undefined && isInstant(`${given}T00:00:00Z`)) return given;
  const instant = instantOrAge(raw, name, nowMs);
  return instant === undefined ? undefined : dayOf(Date.parse(instant), timeZone);
}

/** Returns the first day of the day's month, or of the month that is `months` later. */
function firstOfMonth(day: string, months = 0): string {
  const [year = 0, month = 1] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10);
}

const nextDay = (day: string, days = 1): string =>
  new Date(dayMs(day) + days * DAY_MS).toISOString().slice(0, 10);

const monthsOf = (day: string): number => {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return year * 12 + month;
};

/** Reads the requested range of days or months. @throws ProblemError `REQUEST_INVALID` that names the parameter */
export function readSpan(deps: HttpDeps, request: FastifyRequest, by: Span['by']): Span {
  const raw = request.query as Raw;
  const nowMs = deps.wallClock.nowMs();
  const timeZone = readZone(deps, raw);
  const { max, usual } = BOUNDS[by];
  const last = readDay(raw, 'until', nowMs, timeZone) ?? nextDay(dayOf(nowMs, timeZone));
  const isMonthly = by === 'month';
  const until = isMonthly && last !== firstOfMonth(last) ? firstOfMonth(last, 1) : last;
  const asked = readDay(raw, 'since', nowMs, timeZone);
  const begins = isMonthly ? firstOfMonth(until, -usual) : nextDay(until, -usual);
  const from = asked !== undefined && isMonthly ? firstOfMonth(asked) : (asked ?? begins);
  const count = isMonthly
    ? monthsOf(until) - monthsOf(from)
    : (dayMs(until) - dayMs(from)) / DAY_MS;
  if (count < 1) return invalid('since', 'must be before until');
  if (count > max) return invalid('since', `must be at most ${max} ${by}s before until`);
  return { by, from, until, timeZone };
}

const statisticsSpan = (deps: HttpDeps, request: FastifyRequest): Span =>
  readSpan(deps, request, readOneOf(request.query as Raw, 'groupBy', PERIODS) ?? 'day');

/** Returns a share with four digits after the point, formatted like an amount. */
function rateOf({ due, renewed }: LicenseFigures): string | null {
  if (due === 0) return null;
  const share = String(Math.round((renewed * 10_000) / due)).padStart(5, '0');
  return `${share.slice(0, -4)}.${share.slice(-4)}`;
}

const licenseBody = (figures: LicenseFigures): JsonRecord => ({
  ...figures,
  renewalRate: rateOf(figures),
});

const revenueBody = (figures: RevenueFigures): JsonRecord => ({
  ...figures,
  instrument: { ...figures.instrument },
});

export const SPAN_QUERY = {
  since: text('The first day; a duration counts back from now', '2026-01-01'),
  until: text('The day after the last one; a duration counts back from now', '2026-02-01'),
  timeZone: text('Days are those of this time zone; the provider’s unless told', 'Europe/Zurich'),
};

const StatisticsQuery = Type.Object({
  groupBy: Type.Optional(
    Type.Unsafe<string>({ type: 'string', enum: [...PERIODS], description: 'day unless told' }),
  ),
  ...SPAN_QUERY,
});

const DESCRIPTION =
  `Covers the licences of the caller as provider. At most ${BOUNDS.day.max} days or ${BOUNDS.month.max} months; the last ` +
  `${BOUNDS.day.usual} days or ${BOUNDS.month.usual} months by default. The last period is not over: its values are current.`;

function registerFigures<Figures>(
  app: HttpApp,
  of: {
    readonly path: string;
    readonly operationId: string;
    readonly summary: string;
    readonly schema: 'LicenseStatistics' | 'RevenueStatistics';
    readonly read: (request: FastifyRequest, reply: FastifyReply) => Promise<readonly Figures[]>;
    readonly bodyOf: (figures: Figures) => JsonRecord;
  },
): void {
  route(app, 'GET', of.path, {
    operationId: of.operationId,
    summary: of.summary,
    description: DESCRIPTION,
    tag: 'payments',
    query: StatisticsQuery,
    reply: { 200: listOf(of.schema, 'The first period first') },
    problems: [400, 401, 406, 422, 503],
    handle: async (request, reply) => reply.send((await of.read(request, reply)).map(of.bodyOf)),
  });
}

export function registerStatistics(app: HttpApp, deps: HttpDeps): void {
  const { books } = deps.desk;
  registerFigures(app, {
    path: '/stats/licenses',
    operationId: 'listLicenseStatistics',
    summary: 'Count licences by day or month',
    schema: 'LicenseStatistics',
    read: (request, reply) =>
      books.licenses(callerOf(request).party, statisticsSpan(deps, request), readIo(reply)),
    bodyOf: licenseBody,
  });
  registerFigures(app, {
    path: '/stats/revenue',
    operationId: 'listRevenueStatistics',
    summary: 'Sum settled payments and recurring revenue, by day or month and instrument',
    schema: 'RevenueStatistics',
    read: (request, reply) =>
      books.revenue(callerOf(request).party, statisticsSpan(deps, request), readIo(reply)),
    bodyOf: revenueBody,
  });
}
