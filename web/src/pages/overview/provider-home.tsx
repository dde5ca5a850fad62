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
      Complete the renewal of {licenseName(renewal)}
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
      Accept or reject a request
    </Link>
  ),
  customer: customerOf(request),
  fee: '',
  until: null,
});

const TASK_COLUMNS: readonly Column<Task>[] = [
  { name: 'Task', as: 'grow', cell: ({ link }) => link },
  { name: 'Customer', cell: ({ customer }) => customer },
  { name: 'Amount', as: 'end', cell: ({ fee }) => fee },
  {
    name: 'Time left',
    cell: ({ until }) => (until === null ? '' : <Deadline at={until} over="Over" />),
  },
];

function Tasks({ tasks }: { readonly tasks: readonly Task[] }) {
  const more = tasks.length - TASKS_MAX;
  return (
    <Section
      title="To do"
      more={more > 0 ? `The ${TASKS_MAX} most urgent of ${tasks.length}` : undefined}
    >
      {tasks.length === 0 ? (
        <p>No request and no paid renewal waits for you.</p>
      ) : (
        <Table
          label="Tasks"
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
      name: 'Requests to decide',
      value: countWords(requests, isMore && requests > 0),
      isDue: requests > 0,
      to: { to: PATHS.requests },
    },
    {
      name: 'Renewals to complete',
      value: countWords(toComplete, isMore && toComplete > 0),
      isDue: toComplete > 0,
      to: { to: PATHS.renewals, search: { state: 'allocated' } },
    },
    {
      name: 'Past due',
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
  if (newest.length === 0) return [{ name: `Paid in ${monthWords(period)}`, value: '0', to }];
  return newest.map(({ amount: paid, payments, instrument: { id } }) => ({
    name: `Paid in ${monthWords(period)}`,
    value: amount(paid, id),
    more: `${countWords(payments)} ${payments === 1 ? 'payment' : 'payments'}`,
    to,
  }));
}

function stateFigures(now: LicenseMonth): readonly Figure[] {
  return [
    {
      name: 'Active licences',
      value: countWords(now.active),
      ...(now.trial === 0 ? {} : { more: `and ${countWords(now.trial)} in a trial` }),
      to: { to: PATHS.licenses, search: { state: 'valid' } },
    },
    {
      name: 'Expiring in 30 days',
      value: countWords(now.expiringIn30Days),
      to: { to: PATHS.licenses, search: { state: 'valid', lapsesWithin: 'P30D' } },
    },
    {
      name: 'Renewal rate',
      value: rateWords(now.renewalRate),
      more: 'this month',
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
          name: 'Create a plan',
          text: 'A plan has a price and a period. You choose it when you create a licence.',
          isDone: (plans.data?.data.length ?? 0) > 0,
          verb: 'Create a plan',
          to: { to: PATHS.plans, search: { act: 'add' } },
        },
        {
          name: 'Accept the request of a user',
          text: hasRequest ? 'A request waits for you.' : 'Users request installations.',
          isDone: isSold,
          verb: 'See requests',
          to: { to: PATHS.requests },
        },
        {
          name: 'Create a licence',
          text: 'You create licences on the installation of a user.',
          isDone: false,
          verb: 'See installations',
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
      title="Home"
      acts={
        <CopyAs
          url={addressOf('/stats/licenses', YEAR)}
          cli="tenure stats licenses --group-by month --since 335d"
          acts={[
            {
              name: 'Revenue',
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
              <Figures label="Waiting for you" of={dueFigures(now, counts)} />
              <Figures label="Licences and revenue" of={figures} />
              {isEmpty(now) ? <ProviderSteps hasRequest={counts.requests > 0} /> : null}
              {isRead ? <Tasks tasks={tasks} /> : null}
              <div className={styles.two}>
                <Section title="Revenue by month" isCard>
                  {months.length === 0 ? (
                    <p>Nothing was paid in the last 12 months.</p>
                  ) : (
                    <RevenueCharts periods={data.map(({ period }) => period)} rows={months} />
                  )}
                </Section>
                <Section title="Licences by month" isCard>
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
