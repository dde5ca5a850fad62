import { Link } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs, partyName } from '../../parts/copy.tsx';
import { Figures } from '../../parts/figures.tsx';
import type { Figure } from '../../parts/figures.tsx';
import { licenseName } from '../../parts/license-words.ts';
import { monthWords, rateWords } from '../../parts/months.ts';
import { Page, Section } from '../../parts/page.tsx';
import { phaseOf } from '../../parts/renewal-phase.ts';
import { Shown } from '../../parts/states.tsx';
import { LicensesChart, RevenueCharts } from '../../parts/statistics-charts.tsx';
import type { LicenseMonth, RevenueMonth } from '../../parts/statistics-charts.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Deadline } from '../../parts/time.tsx';
import { amount, countWords } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import * as t from '../../texts/overview.ts';
import styles from './overview.module.css';
import { FirstSteps } from './steps.tsx';

type Renewal = components['schemas']['LicenseRenewalRequest'];
type Request = components['schemas']['AppInstallRequest'];

const YEAR = { query: { groupBy: 'month', since: 'P335D' } } as const;

/** A query with the size of the API's largest page. The counts on this page are those of the entries that were read. */
const ALL = { query: { limit: 1_000 } } as const;

const TASKS_MAX = 6;

interface Task {
  readonly key: string;
  readonly link: React.ReactNode;
  readonly customer: string;
  readonly fee: string;
  readonly until: string | null;
}

type Customer = { readonly name?: string } | null | undefined;

const customerOf = (one: { readonly user: string; readonly customer?: Customer }): string =>
  one.customer?.name ?? partyName(one.user);

const renewalTask = (renewal: Renewal): Task => ({
  key: renewal.contractId,
  link: (
    <Link to={PATHS.renewal} params={{ contractId: renewal.contractId }}>
      {t.completeTheRenewalOf(licenseName(renewal))}
    </Link>
  ),
  customer: customerOf(renewal),
  fee: amount(renewal.licenseFeeAmount, renewal.licenseFeeInstrument),
  until: renewal.settleBefore,
});

const requestTask = (request: Request): Task => ({
  key: request.contractId,
  link: (
    <Link to={PATHS.request} params={{ contractId: request.contractId }}>
      {t.acceptOrRejectARequest}
    </Link>
  ),
  customer: customerOf(request),
  fee: '',
  until: null,
});

const TASK_COLUMNS: readonly Column<Task>[] = [
  { name: t.task, as: 'grow', cell: ({ link }) => link },
  { name: t.customer, cell: ({ customer }) => customer },
  { name: t.amount, as: 'end', cell: ({ fee }) => fee },
  {
    name: t.timeLeft,
    cell: ({ until }) => (until === null ? '' : <Deadline at={until} over={t.over} />),
  },
];

function Tasks({ tasks }: { readonly tasks: readonly Task[] }) {
  const more = tasks.length - TASKS_MAX;
  return (
    <Section
      title={t.toDo}
      more={more > 0 ? t.theMostUrgentOf(TASKS_MAX, tasks.length) : undefined}
    >
      {tasks.length === 0 ? (
        <p>{t.noRequestAndNoPaidRenewal}</p>
      ) : (
        <Table
          label={t.tasks}
          rows={tasks.slice(0, TASKS_MAX)}
          keyOf={({ key }) => key}
          columns={TASK_COLUMNS}
        />
      )}
    </Section>
  );
}

interface Counts {
  readonly requests: number;
  readonly toComplete: number;
  /** Whether one of the lists has more entries than were read. */
  readonly isMore: boolean;
}

function dueFigures(now: LicenseMonth, { requests, toComplete, isMore }: Counts) {
  return [
    {
      name: t.requestsToDecide,
      value: countWords(requests, isMore && requests > 0),
      isDue: requests > 0,
      to: { to: PATHS.requests },
    },
    {
      name: t.renewalsToComplete,
      value: countWords(toComplete, isMore && toComplete > 0),
      isDue: toComplete > 0,
      to: { to: PATHS.renewals, search: { state: 'allocated' } },
    },
    {
      name: t.pastDue,
      value: countWords(now.pastDue),
      isDue: now.pastDue > 0,
      to: { to: PATHS.licenses, search: { state: 'past-due' } },
    },
  ] as const;
}

/** Returns the revenue of the newest month, one figure for each instrument. */
function revenueFigures(months: readonly RevenueMonth[], period: string): readonly Figure[] {
  const newest = months.filter((month) => month.period === period);
  const to = { to: PATHS.payments, search: { state: 'settled' } } as const;
  if (newest.length === 0) return [{ name: t.paidIn(monthWords(period)), value: '0', to }];
  return newest.map(({ amount: paid, payments, instrument: { id } }) => ({
    name: t.paidIn(monthWords(period)),
    value: amount(paid, id),
    more: t.payments(payments),
    to,
  }));
}

function stateFigures(now: LicenseMonth): readonly Figure[] {
  return [
    {
      name: t.activeLicences,
      value: countWords(now.active),
      ...(now.trial === 0 ? {} : { more: t.andInATrial(countWords(now.trial)) }),
      to: { to: PATHS.licenses, search: { state: 'valid' } },
    },
    {
      name: t.expiringIn30Days,
      value: countWords(now.expiringIn30Days),
      to: { to: PATHS.licenses, search: { state: 'valid', lapsesWithin: 'P30D' } },
    },
    {
      name: t.renewalRate,
      value: rateWords(now.renewalRate),
      more: t.thisMonth,
      to: { to: PATHS.statistics },
    },
  ];
}

/** The steps from an empty deployment to the first licence. */
function ProviderSteps({ hasRequest }: { readonly hasRequest: boolean }) {
  const plans = useRead('/plans', { query: { limit: 1 } }, { topics: ['plan'] });
  const installs = useRead('/app-installs', { query: { limit: 1 } }, { topics: ['install'] });
  const isSold = (installs.data?.data.length ?? 0) > 0;
  return (
    <FirstSteps
      of={[
        {
          name: t.createAPlan,
          text: t.aPlanHasAPriceAnd,
          isDone: (plans.data?.data.length ?? 0) > 0,
          verb: t.createAPlan,
          to: { to: PATHS.plans, search: { act: 'add' } },
        },
        {
          name: t.acceptTheRequestOfAUser,
          text: hasRequest ? t.aRequestWaitsForYou : t.usersRequestInstallations,
          isDone: isSold,
          verb: t.seeRequests,
          to: { to: PATHS.requests },
        },
        {
          name: t.createALicence,
          text: t.youCreateLicencesOnThe,
          isDone: false,
          verb: t.seeInstallations,
          to: { to: PATHS.installs },
        },
      ]}
    />
  );
}

function useTasks() {
  const requests = useRead('/app-install-requests', ALL, { topics: ['install-request'] });
  const renewals = useRead('/license-renewal-requests', ALL, {
    topics: ['renewal'],
    everyMs: 30_000,
  });
  const paid = (renewals.data?.data ?? [])
    .filter((renewal) => phaseOf(renewal) === 'allocated')
    .toSorted((a, b) => a.settleBefore.localeCompare(b.settleBefore));
  const open = (requests.data?.data ?? []).filter(({ state }) => state === 'requested');
  const isMore = [requests.data?.next, renewals.data?.next].some((next) => (next ?? null) !== null);
  const isRead = requests.data !== undefined && renewals.data !== undefined;
  const counts: Counts = { requests: open.length, toComplete: paid.length, isMore };
  return { counts, isRead, tasks: [...paid.map(renewalTask), ...open.map(requestTask)] };
}

const isEmpty = (now: LicenseMonth): boolean =>
  now.active + now.trial + now.pastDue + now.notStarted + now.new === 0;

export function ProviderHome() {
  const options = { topics: ['license', 'renewal'] as const, everyMs: 60_000 };
  const licenses = useRead('/stats/licenses', YEAR, options);
  const revenue = useRead('/stats/revenue', YEAR, options);
  const { counts, tasks, isRead } = useTasks();
  const months = revenue.data?.data ?? [];
  return (
    <Page
      title={t.home}
      acts={
        <CopyAs
          url={addressOf('/stats/licenses', YEAR)}
          cli="tenure stats licenses --group-by month --since 335d"
          acts={[
            {
              name: t.revenue,
              url: addressOf('/stats/revenue', YEAR),
              cli: 'tenure stats revenue --group-by month --since 335d',
            },
          ]}
        />
      }
    >
      <Shown of={licenses}>
        {({ data }) => {
          const now = data.at(-1);
          if (now === undefined) return null;
          const figures = [...stateFigures(now), ...revenueFigures(months, now.period)];
          return (
            <>
              <Figures label={t.waitingForYou} of={dueFigures(now, counts)} />
              <Figures label={t.licencesAndRevenue} of={figures} />
              {isEmpty(now) ? <ProviderSteps hasRequest={counts.requests > 0} /> : null}
              {isRead ? <Tasks tasks={tasks} /> : null}
              <div className={styles.two}>
                <Section title={t.revenueByMonth} isCard>
                  {months.length === 0 ? (
                    <p>{t.nothingWasPaidInTheLast}</p>
                  ) : (
                    <RevenueCharts periods={data.map(({ period }) => period)} rows={months} />
                  )}
                </Section>
                <Section title={t.licencesByMonth} isCard>
                  <LicensesChart months={data} />
                </Section>
              </div>
            </>
          );
        }}
      </Shown>
    </Page>
  );
}
