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
import { useReadOnly, useRoles } from '../../api/caller.tsx';
import * as t from '../../texts/renewals.tsx';
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
  const refused = useReadOnly();
  const phase = phaseOf(renewal);
  const act = ACTS[phase];
  if (act === undefined) return null;
  const [name, words] = act;
  return (
    <Button isSmall refused={refused} onClick={() => open(`${renewalScope(renewal)}${name}`)}>
      {words}
    </Button>
  );
}

const ACTS: Readonly<Partial<Record<Phase, readonly [name: string, words: string]>>> = {
  allocated: ['complete', t.complete],
  late: ['withdraw', t.withdraw],
  lapsed: ['withdraw', t.withdraw],
};

/** The dialog that the address opens, for a renewal in the list. */
function ActingDialog({ renewals }: { readonly renewals: readonly Renewal[] }) {
  const acting = useActing(renewals);
  const [act, open] = useOpenAct();
  const isReadOnly = useReadOnly() !== undefined;
  if (acting === null || act === null || isReadOnly) return null;
  const name = act.slice(renewalScope(acting).length);
  const offer = renewalOffers(acting)[name];
  const id = encodeURIComponent(acting.lifecycleId ?? acting.contractId);
  const href = `/license-renewal-requests/${id}:${name}`;
  return offer?.dialog({ form: `${name} ${href}`, href, onClose: () => open(null) }) ?? null;
}

const COLUMNS: readonly Column<Renewal>[] = [
  {
    name: t.renewalOf,
    by: licenseName,
    cell: (renewal) => (
      <Link to={PATHS.renewal} params={{ contractId: renewal.contractId }}>
        {licenseName(renewal)}
      </Link>
    ),
  },
  {
    name: t.customer,
    by: ({ user, customer }) => customer?.name ?? user,
    cell: ({ user, customer }) => <UserLink user={user} customer={customer} />,
  },
  { name: t.state, card: 'state', cell: (renewal) => <PhaseBadge renewal={renewal} /> },
  { name: t.next, card: 'act', cell: (renewal) => <NextAct renewal={renewal} /> },
  {
    name: t.fee,
    card: 'amount',
    by: ({ licenseFeeAmount }) => licenseFeeAmount,
    cell: feeOf,
    as: 'end',
  },
  { name: t.extendsBy, cell: extensionOf },
  {
    name: t.timeLeft,
    by: ({ prepareUntil, settleBefore, allocationCid }) =>
      allocationCid === null ? prepareUntil : settleBefore,
    cell: ({ prepareUntil, settleBefore, allocationCid }) =>
      allocationCid === null ? (
        <Deadline at={prepareUntil} over={t.over} />
      ) : (
        <Deadline at={settleBefore} over={t.over} />
      ),
  },
  { name: t.description, cell: ({ description }) => descriptionWords(description), as: 'grow' },
];

const PHASES = [
  ['', t.allOpen],
  ['requested', t.toBePaid],
  ['allocated', t.paidToBeCompleted],
  ['differs', t.paymentDiffers],
  ['late', t.notPaidInTime],
  ['lapsed', t.expired],
  ['settled', t.settled],
  ['withdrawn', t.withdrawn],
  ['rejected', t.declined],
  ['ended', t.allEnded],
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
  { name: t.toComplete, search: { state: 'allocated' } },
  { name: t.toBePaid, search: { state: 'requested' } },
  { name: t.settled, search: { state: 'settled' } },
];

function ProviderRenewals() {
  const { q, user, state, renewals, csv, copyAs } = useRenewals();
  const narrow = useNarrow();
  const phase = PHASES.find(([one]) => one === state)?.[0] ?? '';
  const isOver = ENDS[phase] !== undefined;
  return (
    <Page title={t.renewals} lead={t.offersThatUsersPayAndYou} acts={copyAs}>
      <ActingDialog renewals={renewals.data?.data ?? []} />
      <List
        of={renewals}
        label={t.renewals}
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
          <Empty title={phase === '' && q === undefined ? t.noRenewalIsOpen : t.noRenewalMatches}>
            <p>{t.offerOneOnALicence(<Link to={PATHS.licenses}>{t.toTheLicences}</Link>)}</p>
          </Empty>
        }
      >
        <Filters>
          <SearchFilter q={q} user={user} />
          <Select
            label={t.state}
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
    <Page title={t.toPay} lead={t.renewalsThatTheProviderHas} acts={copyAs}>
      <List
        of={renewals}
        label={t.renewalsToPay}
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
          <Empty title={t.youHaveNothingToPay}>
            <p>
              {t.renewalsThatTheProviderOffers(<Link to={PATHS.licenses}>{t.toYourLicences}</Link>)}
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
