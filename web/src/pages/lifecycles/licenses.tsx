import { Link, useSearch } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Button } from '../../parts/button.tsx';
import { CopyAs, Party, quoted } from '../../parts/copy.tsx';
import { Select } from '../../parts/field.tsx';
import { Filters } from '../../parts/filters.tsx';
import { LicenseBadge } from '../../parts/license-badge.tsx';
import { licenseName, planOf, statusOf, trialUntil } from '../../parts/license-words.ts';
import type { LicenseStatus } from '../../parts/license-words.ts';
import { findableLicense, isMatch } from '../../parts/match.ts';
import { metadataLine } from '../../parts/metadata.ts';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import { useRoles } from '../../api/caller.tsx';
import { nextStep } from './license-next.tsx';
import { List, SearchFilter, UserLink, limitFor, useNarrow } from './list.tsx';

type License = components['schemas']['License'];

/** The other side is all that a provider's rows differ by; for a user it is nearly always the same. */
const columnsFor = (isProvider: boolean): readonly Column<License>[] => [
  {
    name: 'Licence',
    by: licenseName,
    cell: (license) => (
      <Link to={PATHS.license} params={{ contractId: license.contractId }}>
        {licenseName(license)}
      </Link>
    ),
  },
  ...(isProvider
    ? [
        {
          name: 'Customer',
          by: ({ user, customer }: License) => customer?.name ?? user,
          cell: ({ user, customer }: License) => <UserLink user={user} customer={customer} />,
        },
      ]
    : []),
  { name: 'Plan', by: (license) => planOf(license) ?? '', cell: (license) => planOf(license) },
  { name: 'State', cell: (license) => <LicenseBadge license={license} /> },
  {
    name: 'Valid until',
    by: (license) => (license.isNeverRenewed ? (trialUntil(license) ?? '') : license.expiresAt),
    cell: (license) => {
      const end = license.isNeverRenewed ? trialUntil(license) : license.expiresAt;
      return end === null ? '' : <Time at={end} as="short" />;
    },
  },
  { name: 'Next', cell: (license) => nextStep(license, isProvider) },
  ...(isProvider
    ? []
    : [{ name: 'Provider', cell: ({ provider }: License) => <Party party={provider} /> }]),
  { name: 'Details', cell: ({ params }) => metadataLine(params.meta?.data ?? {}), as: 'grow' },
];

const EXPIRES = [
  ['', 'Any time'],
  ['P0D', 'Already expired'],
  ['P1D', 'Within a day'],
  ['P7D', 'Within a week'],
  ['P30D', 'Within 30 days'],
  ['P90D', 'Within 90 days'],
] as const;

const STATES = [
  ['', 'Current'],
  ['valid', 'Valid'],
  ['trial', 'Trial'],
  ['past-due', 'Expired'],
  ['not-active', 'Not active yet'],
  ['suspended', 'Suspended'],
  ['renewing', 'Offering renewal'],
  ['expiring', 'Ending'],
  ['ended', 'Ended'],
] as const;

/** Choices that are no filters of the API. The page applies them to the rows of its answer. */
const STATUSES: Readonly<Record<string, LicenseStatus>> = {
  valid: 'valid',
  trial: 'trial',
  'past-due': 'expired',
  'not-active': 'not-active',
  suspended: 'suspended',
};

/** Every value of `state` that the API takes, besides the choices of this page. */
const isKnownState = (state: string): boolean =>
  /^(?:active|renewing|expiring|expired|gone)$/u.test(state);

const DAY_MS = 86_400_000;

/** The instant that many days from today on, on the minute: the same address asks the same for a while. */
function expiryInstant(within: string | undefined): string | undefined {
  const days = Number(/^P(\d+)D$/u.exec(within ?? '')?.[1] ?? Number.NaN);
  if (Number.isNaN(days)) return undefined;
  const minuteMs = 60_000;
  return new Date(Math.ceil(Date.now() / minuteMs) * minuteMs + days * DAY_MS).toISOString();
}

function NoLicenses({ isProvider, isNarrow }: { isProvider: boolean; isNarrow: boolean }) {
  const narrow = useNarrow();
  if (isNarrow) {
    return (
      <Empty title="No licence matches.">
        <Button
          onClick={() =>
            narrow({
              lapsesWithin: undefined,
              state: undefined,
              ended: undefined,
              user: undefined,
              q: undefined,
            })
          }
        >
          Show all licences
        </Button>
      </Empty>
    );
  }
  return (
    <Empty title="There is no licence here.">
      <p>
        {isProvider
          ? 'Licences are created on an installation. '
          : 'Ask for an installation first. The provider then creates your licences. '}
        <Link to={isProvider ? PATHS.installs : PATHS.requests}>
          {isProvider ? 'To the installations' : 'Ask for an installation'}
        </Link>
      </p>
    </Empty>
  );
}

/** Returns the filters of the list as the API and the command line take them. */
function useAsked() {
  const { cursor, q, lapsesWithin, user, state, ended, sort } = useSearch({
    from: PATHS.licenses,
  });
  const expiresBefore = expiryInstant(lapsesWithin);
  const status = STATUSES[state ?? ''];
  const narrowing = {
    ...(user === undefined ? {} : { user }),
    ...(state !== undefined && isKnownState(state) ? { state: state as 'active' } : {}),
    ...(ended === 'true' ? { ended: 'true' as const } : {}),
    ...(expiresBefore === undefined ? {} : { expiresBefore }),
  };
  const query = {
    limit: limitFor(q, status, sort),
    ...(cursor === undefined ? {} : { cursor }),
    ...narrowing,
  };
  const options = [
    ...(user === undefined ? [] : [` --user ${quoted(user)}`]),
    ...('state' in narrowing ? [` --state ${narrowing.state}`] : []),
    ...('ended' in narrowing ? [' --ended'] : []),
    ...(expiresBefore === undefined ? [] : [` --expires-before ${expiresBefore}`]),
  ];
  const cli = `tenure licenses list${options.join('')}`;
  const isNarrow = (q ?? status) !== undefined || Object.keys(narrowing).length > 0;
  return { query, cli, cursor, status, isNarrow };
}

export function LicensesPage() {
  const { lapsesWithin, user, q, state, ended } = useSearch({ from: PATHS.licenses });
  const isEnded = ended === 'true' || state === 'expired' || state === 'gone';
  const { query, cli, cursor, status, isNarrow } = useAsked();
  const nowMs = useNowMs();
  const narrow = useNarrow();
  const isProvider = useRoles().has('provider');
  const licenses = useRead(
    '/licenses',
    { query },
    { topics: ['license', 'renewal'], everyMs: 60_000 },
  );
  return (
    <Page
      title="Licences"
      lead={isProvider ? 'The licences that you have sold.' : 'The licences that you have bought.'}
      acts={<CopyAs url={addressOf('/licenses', { query })} cli={cli} />}
    >
      <Filters>
        <SearchFilter q={q} user={user} />
        <Select
          label="Expires"
          value={lapsesWithin ?? ''}
          options={EXPIRES}
          onChange={(chosen) => narrow({ lapsesWithin: chosen === '' ? undefined : chosen })}
        />
        <Select
          label="State"
          value={isEnded ? 'ended' : (state ?? '')}
          options={STATES}
          onChange={(chosen) =>
            narrow({
              state: chosen === '' || chosen === 'ended' ? undefined : chosen,
              ended: chosen === 'ended' ? 'true' : undefined,
            })
          }
        />
      </Filters>
      <List
        of={licenses}
        label="Licences"
        cursor={cursor}
        keyOf={({ lifecycleId, contractId }) => lifecycleId ?? contractId}
        columns={columnsFor(isProvider)}
        only={
          (q ?? status) === undefined
            ? undefined
            : (license) =>
                (status === undefined || statusOf(license, nowMs) === status) &&
                (q === undefined || isMatch(q, findableLicense(license)))
        }
        empty={<NoLicenses isProvider={isProvider} isNarrow={isNarrow} />}
      />
    </Page>
  );
}
