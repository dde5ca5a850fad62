import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { CopyAs, Party } from '../../parts/copy.tsx';
import { Select } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Paged, Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import { useRoles } from '../../shell/caller.tsx';
import { Filters } from '../../parts/filters.tsx';

type License = components['schemas']['License'];

/** A page of the list. */
const LIMIT = 50;

/** What to do next about a licence, in the eyes of who reads it. */
function nextStep(license: License, isProvider: boolean): string {
  const [renewal] = license.renewalRequests;
  if (renewal === undefined) return license.isExpired && isProvider ? 'Offer a renewal' : '';
  if (renewal.settleDeadlinePassed)
    return isProvider ? 'Withdraw the lapsed renewal' : 'Renewal lapsed';
  if (renewal.allocationCid !== null)
    return isProvider ? 'Complete the renewal' : 'Paid: provider completes';
  return isProvider ? 'Waiting for payment' : 'Pay the renewal';
}

const columnsFor = (isProvider: boolean): readonly Column<License>[] => [
  {
    name: 'Licence',
    cell: ({ contractId, licenseNum }) => (
      <Link to={PATHS.license} params={{ contractId }}>
        № {licenseNum}
      </Link>
    ),
  },
  isProvider
    ? { name: 'User', cell: ({ user }) => <Party party={user} /> }
    : { name: 'Provider', cell: ({ provider }) => <Party party={provider} /> },
  {
    name: 'State',
    cell: ({ isExpired }) =>
      isExpired ? <Badge tone="warn">Expired</Badge> : <Badge tone="good">Valid</Badge>,
  },
  { name: 'Valid until', cell: ({ expiresAt }) => <Time at={expiresAt} as="short" /> },
  { name: 'Next', cell: (license) => nextStep(license, isProvider), as: 'grow' },
];

const LAPSES = [
  ['', 'Any time'],
  ['P1D', 'Within a day'],
  ['P7D', 'Within a week'],
  ['P30D', 'Within 30 days'],
] as const;

const DAY_MS = 86_400_000;

/** The instant that many days from today on, on the minute: the same address asks the same for a while. */
function lapseInstant(within: string | undefined): string | undefined {
  const days = Number(/^P(\d+)D$/u.exec(within ?? '')?.[1] ?? Number.NaN);
  if (Number.isNaN(days)) return undefined;
  const minuteMs = 60_000;
  return new Date(Math.ceil(Date.now() / minuteMs) * minuteMs + days * DAY_MS).toISOString();
}

export function LicensesPage() {
  const search = useSearch({ from: PATHS.licenses });
  const navigate = useNavigate({ from: PATHS.licenses });
  const isProvider = useRoles().has('provider');
  const { cursor, lapsesWithin, user } = search;
  const expiresBefore = lapseInstant(lapsesWithin);
  const query = {
    limit: LIMIT,
    ...(cursor === undefined ? {} : { cursor }),
    ...(user === undefined ? {} : { user }),
    ...(expiresBefore === undefined ? {} : { expiresBefore }),
  };
  const licenses = useRead('/licenses', { query }, { topics: ['license', 'renewal'] });
  return (
    <Page
      title="Licences"
      lead={
        isProvider ? 'What you have sold and still stands.' : 'What you may use, and until when.'
      }
      acts={<CopyAs url={addressOf('/licenses', { query })} cli="tenure licenses list" />}
    >
      <Filters>
        <Select
          label="Lapses"
          value={lapsesWithin ?? ''}
          options={LAPSES}
          onChange={(chosen) =>
            void navigate({ search: chosen === '' ? {} : { lapsesWithin: chosen } })
          }
        />
      </Filters>
      <Shown of={licenses}>
        {({ data, next }) =>
          data.length === 0 ? (
            <Empty title="There is no licence here.">
              <p>
                {isProvider
                  ? 'Licences are created on an installation.'
                  : 'Ask for an installation first. The provider then creates your licences.'}{' '}
                <Link to={isProvider ? PATHS.installs : PATHS.requests}>
                  {isProvider ? 'To the installations' : 'Ask for an installation'}
                </Link>
              </p>
            </Empty>
          ) : (
            <Paged
              count={data.length}
              isFirst={cursor === undefined}
              next={next}
              onPage={(to) =>
                void navigate({
                  search: ({ cursor: _here, ...rest }) =>
                    to === undefined ? rest : { ...rest, cursor: to },
                })
              }
            >
              <Table
                label="Licences"
                rows={data}
                keyOf={({ lifecycleId, contractId }) => lifecycleId ?? contractId}
                columns={columnsFor(isProvider)}
              />
            </Paged>
          )
        }
      </Shown>
    </Page>
  );
}
