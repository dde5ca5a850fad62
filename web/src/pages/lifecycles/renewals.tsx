import { Link, useSearch } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs, quoted } from '../../parts/copy.tsx';
import { Select } from '../../parts/field.tsx';
import { Filters } from '../../parts/filters.tsx';
import { descriptionWords, licenseName } from '../../parts/license-words.ts';
import { SearchFilter, UserLink } from '../../parts/list-filters.tsx';
import { List, limitFor, useNarrow } from '../../parts/list.tsx';
import { findableRenewal, isMatch } from '../../parts/match.ts';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { Deadline } from '../../parts/time.tsx';
import type { View } from '../../parts/views.ts';
import { PATHS } from '../../paths.ts';
import { useRoles } from '../../api/caller.tsx';
import styles from './life.module.css';
import { ENDED_COLUMNS } from './ended-renewals.tsx';
import { RenewalCard } from './renewal-card.tsx';
import { useOpenAct } from './actions.tsx';
import { renewalOffers } from './renewal-acts.tsx';
import { useActing } from './use-acting.ts';
import { byUrgency, phaseOf, renewalScope } from '../../parts/renewal-phase.ts';
import type { Phase } from '../../parts/renewal-phase.ts';
import { Button } from '../../parts/button.tsx';
import { PhaseBadge, extensionOf, feeOf } from './renewal-terms.tsx';

type Renewal = components['schemas']['LicenseRenewalRequest'];

/** The button for a renewal's next act. The renewal's page has the other acts. */
function NextAct({ renewal }: { readonly renewal: Renewal }) {
  const [, open] = useOpenAct();
  const phase = phaseOf(renewal);
  const act = ACTS[phase];
  if (act === undefined) return null;
  const [name, words] = act;
  return (
    <Button isSmall onClick={() => open(`${renewalScope(renewal)}${name}`)}>
      {words}
    </Button>
  );
}

const ACTS: Readonly<Partial<Record<Phase, readonly [name: string, words: string]>>> = {
  allocated: ['complete', 'Complete'],
  late: ['withdraw', 'Withdraw'],
  lapsed: ['withdraw', 'Withdraw'],
};

/** The dialog that the address opens, for a renewal in the list. */
function ActingDialog({ renewals }: { readonly renewals: readonly Renewal[] }) {
  const acting = useActing(renewals);
  const [act, open] = useOpenAct();
  if (acting === null || act === null) return null;
  const name = act.slice(renewalScope(acting).length);
  const offer = renewalOffers(acting)[name];
  const id = encodeURIComponent(acting.lifecycleId ?? acting.contractId);
  const href = `/license-renewal-requests/${id}:${name}`;
  return offer?.dialog({ form: `${name} ${href}`, href, onClose: () => open(null) }) ?? null;
}

const COLUMNS: readonly Column<Renewal>[] = [
  {
    name: 'Renewal of',
    by: licenseName,
    cell: (renewal) => (
      <Link to={PATHS.renewal} params={{ contractId: renewal.contractId }}>
        {licenseName(renewal)}
      </Link>
    ),
  },
  {
    name: 'Customer',
    by: ({ user, customer }) => customer?.name ?? user,
    cell: ({ user, customer }) => <UserLink user={user} customer={customer} />,
  },
  { name: 'State', card: 'state', cell: (renewal) => <PhaseBadge renewal={renewal} /> },
  { name: 'Next', card: 'act', cell: (renewal) => <NextAct renewal={renewal} /> },
  {
    name: 'Fee',
    card: 'amount',
    by: ({ licenseFeeAmount }) => licenseFeeAmount,
    cell: feeOf,
    as: 'end',
  },
  { name: 'Extends by', cell: extensionOf },
  {
    name: 'Time left',
    by: ({ prepareUntil, settleBefore, allocationCid }) =>
      allocationCid === null ? prepareUntil : settleBefore,
    cell: ({ prepareUntil, settleBefore, allocationCid }) =>
      allocationCid === null ? (
        <Deadline at={prepareUntil} over="Over" />
      ) : (
        <Deadline at={settleBefore} over="Over" />
      ),
  },
  { name: 'Description', cell: ({ description }) => descriptionWords(description), as: 'grow' },
];

const PHASES = [
  ['', 'All open'],
  ['requested', 'To be paid'],
  ['allocated', 'Paid, to be completed'],
  ['differs', 'Payment differs'],
  ['late', 'Not paid in time'],
  ['lapsed', 'Expired'],
  ['settled', 'Settled'],
  ['withdrawn', 'Withdrawn'],
  ['rejected', 'Declined'],
  ['ended', 'All ended'],
] as const;

/** Filters for ended renewals, which the API supports. */
const ENDS: Readonly<
  Record<
    string,
    { readonly state: 'renewed' | 'withdrawn' | 'rejected' } | { readonly ended: 'true' }
  >
> = {
  settled: { state: 'renewed' },
  withdrawn: { state: 'withdrawn' },
  rejected: { state: 'rejected' },
  ended: { ended: 'true' },
};

const OVER_COLUMNS: readonly Column<Renewal>[] = [
  ...COLUMNS.slice(0, 2),
  ...ENDED_COLUMNS,
  ...COLUMNS.slice(-1),
];

/**
 * The size of the API's largest page. The API has no filter for allocations, so the page reads the open renewals and
 * filters them itself.
 */
const PHASE_LIMIT = 1_000;

function useRenewals() {
  const { cursor, q, user, state: chosen, ended, sort } = useSearch({ from: PATHS.renewals });
  const state = ended === 'true' ? 'ended' : chosen;
  const end = ENDS[state ?? ''];
  const narrowing = { ...end, ...(user === undefined ? {} : { user }) };
  const query = {
    limit: state === undefined || end !== undefined ? limitFor(q, sort) : PHASE_LIMIT,
    total: 'true' as const,
    ...narrowing,
    ...(cursor === undefined ? {} : { cursor }),
  };
  const asked = { query };
  const renewals = useRead('/license-renewal-requests', asked, {
    topics: ['renewal'],
    everyMs: 10_000,
  });
  const options = [
    ...(user === undefined ? [] : [` --user ${quoted(user)}`]),
    ...(end === undefined ? [] : ['state' in end ? ` --state ${end.state}` : ' --ended']),
  ];
  const url = addressOf('/license-renewal-requests', asked);
  const copyAs = <CopyAs url={url} cli={`tenure licenses renewals${options.join('')}`} />;
  const csv = addressOf('/license-renewal-requests', { query: narrowing });
  return { q, user, state, renewals, csv, copyAs };
}

const VIEWS: readonly View[] = [
  { name: 'To complete', search: { state: 'allocated' } },
  { name: 'To be paid', search: { state: 'requested' } },
  { name: 'Settled', search: { state: 'settled' } },
];

function ProviderRenewals() {
  const { q, user, state, renewals, csv, copyAs } = useRenewals();
  const narrow = useNarrow();
  const phase = PHASES.find(([one]) => one === state)?.[0] ?? '';
  const isOver = ENDS[phase] !== undefined;
  return (
    <Page title="Renewals" lead="Offers that users pay and you complete." acts={copyAs}>
      <ActingDialog renewals={renewals.data?.data ?? []} />
      <List
        of={renewals}
        label="Renewals"
        name="renewals"
        views={VIEWS}
        csv={csv}
        keyOf={({ lifecycleId, contractId }) => lifecycleId ?? contractId}
        columns={isOver ? OVER_COLUMNS : COLUMNS}
        only={
          q === undefined && (phase === '' || isOver)
            ? undefined
            : (renewal) =>
                (phase === '' || isOver || phaseOf(renewal) === phase) &&
                (q === undefined || isMatch(q, findableRenewal(renewal)))
        }
        empty={
          <Empty
            title={phase === '' && q === undefined ? 'No renewal is open.' : 'No renewal matches.'}
          >
            <p>
              Offer one on a licence: <Link to={PATHS.licenses}>to the licences</Link>
            </p>
          </Empty>
        }
      >
        <Filters>
          <SearchFilter q={q} user={user} />
          <Select
            label="State"
            value={phase}
            options={PHASES}
            onChange={(chosen) =>
              narrow({ state: chosen === '' ? undefined : chosen, ended: undefined })
            }
          />
        </Filters>
      </List>
    </Page>
  );
}

function UserRenewals() {
  const { renewals, copyAs } = useRenewals();
  return (
    <Page
      title="To pay"
      lead="Renewals that the provider has offered you. You pay in your wallet."
      acts={copyAs}
    >
      <List
        of={renewals}
        label="Renewals to pay"
        keyOf={({ lifecycleId, contractId }) => lifecycleId ?? contractId}
        renderCards={(rows) => (
          <div className={styles.renewals}>
            {rows.toSorted(byUrgency).map((renewal) => (
              <RenewalCard
                key={renewal.lifecycleId ?? renewal.contractId}
                renewal={renewal}
                isProvider={false}
                level={2}
              />
            ))}
          </div>
        )}
        empty={
          <Empty title="You have nothing to pay.">
            <p>
              Renewals that the provider offers are listed here until they are settled.{' '}
              <Link to={PATHS.licenses}>To your licences</Link>
            </p>
          </Empty>
        }
      />
    </Page>
  );
}

/** The page of renewals. Users pay them, providers complete them, and ended ones show their result. */
export function RenewalsPage() {
  return useRoles().has('provider') ? <ProviderRenewals /> : <UserRenewals />;
}
