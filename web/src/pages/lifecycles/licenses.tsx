import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { CopyAs, Party, quoted } from '../../parts/copy.tsx';
import { Select } from '../../parts/field.tsx';
import { Filters } from '../../parts/filters.tsx';
import { LicenseBadge } from '../../parts/license-badge.tsx';
import { licenseName, planOf, statusOf, trialUntil } from '../../parts/license-words.ts';
import type { LicenseStatus } from '../../parts/license-words.ts';
import { findableLicense, isMatch } from '../../parts/match.ts';
import { SearchFilter, UserLink } from '../../parts/list-filters.tsx';
import { List, limitFor, useNarrow } from '../../parts/list.tsx';
import { metadataLine } from '../../parts/metadata.ts';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import type { View } from '../../parts/views.ts';
import { PATHS } from '../../paths.ts';
import { useRoles } from '../../api/caller.tsx';
import { nextStep } from './license-next.tsx';
import { LicenseActsDialog } from './license-acts.tsx';
import type { LicenseFilter } from './license-acts.tsx';

type License = components['schemas']['License'];

interface NextLinkProps {
  readonly license: License;
  readonly isProvider: boolean;
}

/** A link to the next step, which the licence's page offers. */
function NextLink({ license, isProvider }: NextLinkProps) {
  const words = nextStep(license, isProvider);
  if (words === '') return null;
  return (
    <Link
      to={PATHS.license}
      params={{ contractId: license.contractId }}
      className={buttonClass('plain', true)}
    >
      {words}
    </Link>
  );
}

/**
 * The columns for a role. A provider's rows are distinguished by the user; for users the other party is nearly always
 * the same.
 */
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
  { name: 'State', card: 'state', cell: (license) => <LicenseBadge license={license} /> },
  {
    name: 'Valid until',
    by: (license) => (license.isNeverRenewed ? (trialUntil(license) ?? '') : license.expiresAt),
    cell: (license) => {
      const end = license.isNeverRenewed ? trialUntil(license) : license.expiresAt;
      return end === null ? '' : <Time at={end} as="short" />;
    },
  },
  {
    name: 'Next',
    card: 'act',
    by: (license) => nextStep(license, isProvider),
    cell: (license) => <NextLink license={license} isProvider={isProvider} />,
  },
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

/** Choices that the API has no filter for. The page applies them to the rows that it has read. */
const STATUSES: Readonly<Record<string, LicenseStatus>> = {
  valid: 'valid',
  trial: 'trial',
  'past-due': 'expired',
  'not-active': 'not-active',
  suspended: 'suspended',
};

/** Whether the API accepts this value of `state`. The other choices are the page's own. */
const isKnownState = (state: string): boolean =>
  /^(?:active|renewing|expiring|expired|gone)$/u.test(state);

/** Maximum number of licences in one act. */
const ACT_MAX = 500;

const DAY_MS = 86_400_000;

/**
 * Returns the instant a number of days after now. It is rounded up to a minute, so that the same page repeats the same
 * request for a while.
 */
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
    <Empty title="There are no licences.">
      <p>
        {isProvider
          ? 'Licences are created on an installation. '
          : 'Request an installation first. The provider then creates your licences. '}
        <Link to={isProvider ? PATHS.installs : PATHS.requests}>
          {isProvider ? 'To the installations' : 'Request an installation'}
        </Link>
      </p>
    </Empty>
  );
}

/** Returns the filters of the list, for the API and for the command line. */
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
    total: 'true' as const,
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
  const isEnded = ended === 'true' || state === 'expired' || state === 'gone';
  return { query, narrowing, cli, status, isNarrow, isEnded };
}

type Asked = ReturnType<typeof useAsked>;

/** Returns the filter for an act on all matching licences, or a text that says why such an act is not offered. */
function actFilter({ narrowing, status, isNarrow, isEnded }: Asked, q: string | undefined) {
  if (!isNarrow) return 'Set a filter first';
  if (isEnded) return 'Ended licences allow no actions';
  if (q !== undefined || (status !== undefined && status !== 'suspended')) {
    return 'Select the rows: this filter covers only this page';
  }
  return { ...narrowing, ...(status === 'suspended' ? { suspended: true } : {}) };
}

/** The licences that a person has chosen for an act. */
interface Meant {
  readonly filter: LicenseFilter;
  readonly words: string;
  readonly clear?: () => void;
}

const VIEWS: readonly View[] = [
  { name: 'Expiring in 30 days', search: { lapsesWithin: 'P30D' } },
  { name: 'Suspended', search: { state: 'suspended' } },
  { name: 'Ended', search: { ended: 'true' } },
];

const keyOf = ({ lifecycleId, contractId }: License): string => lifecycleId ?? contractId;

const chosenOf = (rows: readonly License[], clear: () => void): Meant => ({
  filter: { licenseIds: rows.map(keyOf) },
  words: `${rows.length} selected ${rows.length === 1 ? 'licence' : 'licences'}`,
  clear,
});

function LicenseFilters() {
  const { lapsesWithin, user, q, state, ended } = useSearch({ from: PATHS.licenses });
  const isEnded = ended === 'true' || state === 'expired' || state === 'gone';
  const narrow = useNarrow();
  return (
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
  );
}

interface ActOnAllProps {
  readonly asked: Asked;
  readonly onAct: (meant: Meant) => void;
}

function ActOnAll({ asked, onAct }: ActOnAllProps) {
  const { q } = useSearch({ from: PATHS.licenses });
  const filter = actFilter(asked, q);
  const isRefused = typeof filter === 'string';
  return (
    <Button
      icon="filter"
      refused={isRefused ? filter : undefined}
      onClick={() => {
        if (!isRefused) onAct({ filter, words: 'all licences that match the filter' });
      }}
    >
      Act on all of these
    </Button>
  );
}

export function LicensesPage() {
  const { q } = useSearch({ from: PATHS.licenses });
  const [meant, setMeant] = useState<Meant | null>(null);
  const asked = useAsked();
  const { query, narrowing, cli, status, isNarrow, isEnded } = asked;
  const nowMs = useNowMs();
  const roles = useRoles();
  const isProvider = roles.has('provider');
  const mayAct = isProvider && roles.has('policy');
  const licenses = useRead(
    '/licenses',
    { query },
    { topics: ['license', 'renewal'], everyMs: 60_000 },
  );
  const close = (): void => {
    meant?.clear?.();
    setMeant(null);
  };
  return (
    <Page
      title="Licences"
      lead={isProvider ? 'The licences that you have sold.' : 'The licences that you have bought.'}
      acts={
        <>
          {mayAct ? <ActOnAll asked={asked} onAct={setMeant} /> : null}
          <CopyAs url={addressOf('/licenses', { query })} cli={cli} />
        </>
      }
    >
      <List
        of={licenses}
        label="Licences"
        name="licences"
        views={VIEWS}
        csv={addressOf('/licenses', { query: narrowing })}
        keyOf={keyOf}
        columns={columnsFor(isProvider)}
        only={
          (q ?? status) === undefined
            ? undefined
            : (license) =>
                (status === undefined || statusOf(license, nowMs) === status) &&
                (q === undefined || isMatch(q, findableLicense(license)))
        }
        several={
          mayAct && !isEnded
            ? {
                nameOf: licenseName,
                renderActs: (rows, clear) => (
                  <Button
                    look="primary"
                    isSmall
                    refused={rows.length > ACT_MAX ? `At most ${ACT_MAX} at once` : undefined}
                    onClick={() => setMeant(chosenOf(rows, clear))}
                  >
                    Act on the selected
                  </Button>
                ),
              }
            : undefined
        }
        empty={<NoLicenses isProvider={isProvider} isNarrow={isNarrow} />}
      >
        <LicenseFilters />
      </List>
      {meant === null ? null : (
        <LicenseActsDialog filter={meant.filter} words={meant.words} onClose={close} />
      )}
    </Page>
  );
}
