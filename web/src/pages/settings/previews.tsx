import { Link, useSearch } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import type { Tone } from '../../parts/badge.tsx';
import { CopyAs, Party } from '../../parts/copy.tsx';
import { List } from '../../parts/list.tsx';
import { Note } from '../../parts/note.tsx';
import { Section } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Readable, Time } from '../../parts/time.tsx';
import { amount } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import { phaseOf } from '../../parts/renewal-phase.ts';
import * as t from '../../texts/policies.tsx';

type Preview = components['schemas']['ExpiryPreview'];
type Renewal = components['schemas']['LicenseRenewalRequest'];
type RenewalPolicy = components['schemas']['RenewalPolicy'];

const LIMIT = 50;
/** Poll interval, because saved policies and lapsing licences change the preview without an event. */
const LOOK_MS = 10_000;

const VERDICTS: Readonly<Record<Preview['verdict'], readonly [Tone, string]>> = {
  due: ['warn', t.due],
  later: ['info', t.later],
  never: ['plain', t.notByThisPolicy],
};

const HOLDS: Readonly<Record<string, readonly [title: string, text: string]>> = {
  off: [t.thePolicyIsOffNoLicence, t.theListShowsWhatThePolicy],
  'dry-run': [t.dryRunNoLicenceEnds, t.licencesThatAreDueWouldEnd],
  start: [t.thePolicyIsNotInEffect, t.licencesThatAreDueEndAfter],
  paused: [t.thePolicyIsPaused, t.noFurtherLicenceEndsLicences],
  'quiet-hours': [t.theseAreQuietHours, t.licencesThatAreDueWaitUntil],
};

const COLUMNS: readonly Column<Preview>[] = [
  {
    name: t.licence,
    cell: ({ contractId, licenseNum }) => (
      <Link to={PATHS.license} params={{ contractId }}>
        № {licenseNum}
      </Link>
    ),
  },
  { name: t.user, cell: ({ user }) => <Party party={user} /> },
  { name: t.validUntil, cell: ({ expiresAt }) => <Time at={expiresAt} as="short" /> },
  {
    name: t.ends,
    cell: ({ verdict }) => {
      const [tone, words] = VERDICTS[verdict];
      return <Badge tone={tone}>{words}</Badge>;
    },
  },
  { name: t.when, cell: ({ at }) => (at === undefined ? '' : <Time at={at} />) },
  { name: t.why, as: 'grow', cell: ({ why }) => <Readable text={why} /> },
];

function Held({ by }: { readonly by: string | undefined }) {
  if (by === undefined) return <Note tone="good" title={t.thePolicyIsOnLicencesThat} />;
  const [title, text] = HOLDS[by] ?? [t.thePolicyIsHeldBack(by), t.licencesThatAreDueWait];
  return (
    <Note tone="info" title={title}>
      <p>{text}</p>
    </Note>
  );
}

/** Shows which licences the saved expiry policy would end, when and why, and which it would not end. */
export function ExpiryPreview() {
  const { cursor } = useSearch({ from: PATHS.policies });
  const query = { limit: LIMIT, ...(cursor === undefined ? {} : { cursor }) };
  const preview = useRead(
    '/policies/expiry/preview',
    { query },
    { topics: ['policy', 'license', 'renewal'], everyMs: LOOK_MS },
  );
  const [first] = preview.data?.data ?? [];
  return (
    <Section
      title={t.licencesThatTheSavedPolicyEnds}
      more={
        <CopyAs
          url={addressOf('/policies/expiry/preview', { query })}
          cli="tenure policy preview"
        />
      }
    >
      {first === undefined ? null : <Held by={first.heldBy} />}
      <List
        of={preview}
        label={t.licencesThatTheExpiryPolicy}
        keyOf={({ lifecycleId }) => lifecycleId}
        columns={COLUMNS}
        empty={
          <Empty title={t.noLicenceCanEnd}>
            <p>{t.theSavedPolicyAffectsNoLicence}</p>
          </Empty>
        }
      />
    </Section>
  );
}

/** Returns what a policy does with a renewal in its present phase. */
function verdictOf(
  renewal: Renewal,
  policy: RenewalPolicy,
): readonly [Tone, string, string] | null {
  const phase = phaseOf(renewal);
  if (phase === 'allocated') {
    const why = t.theFeeIsPaidAsRequested;
    return policy.complete ? ['good', t.completes, why] : ['plain', t.waitsForYou, why];
  }
  if (phase === 'lapsed') {
    const why = t.itsDeadlineHasPassed;
    return policy.withdrawLapsed ? ['warn', t.isWithdrawn, why] : ['plain', t.waitsForYou, why];
  }
  return phase === 'differs' ? ['plain', t.waitsForTheUser, t.thePaymentDiffersFromThe] : null;
}

const columnsFor = (policy: RenewalPolicy): readonly Column<Renewal>[] => [
  {
    name: t.renewalOf,
    cell: ({ contractId, licenseNum }) => (
      <Link to={PATHS.renewal} params={{ contractId }}>
        {t.licenceOf(licenseNum)}
      </Link>
    ),
  },
  { name: t.user, cell: ({ user }) => <Party party={user} /> },
  {
    name: t.fee,
    as: 'end',
    cell: (one) => amount(one.licenseFeeAmount, one.licenseFeeInstrument),
  },
  {
    name: t.whatHappens,
    cell: (renewal) => {
      const [tone, words] = verdictOf(renewal, policy) ?? ['plain', ''];
      return <Badge tone={tone}>{words}</Badge>;
    },
  },
  { name: t.why, as: 'grow', cell: (renewal) => verdictOf(renewal, policy)?.[2] ?? '' },
];

/** Number of renewals that are read: one page, because a policy concerns only few renewals. */
const RENEWALS_LIMIT = 1_000;

/** Shows what the saved renewal policy does with the renewals that are open now. */
export function RenewalPreview({ policy }: { readonly policy: RenewalPolicy }) {
  const query = { limit: RENEWALS_LIMIT };
  const renewals = useRead(
    '/license-renewal-requests',
    { query },
    { topics: ['policy', 'renewal'], everyMs: LOOK_MS },
  );
  return (
    <Section title={t.effectOnOpenRenewals}>
      <Shown of={renewals}>
        {({ data, next }) => {
          const about = data.filter((renewal) => verdictOf(renewal, policy) !== null);
          return about.length === 0 ? (
            <Empty title={next === null ? t.noRenewalIsPaidOrHas : t.noneOfTheFirst1000}>
              <p>{t.renewalsThatWaitForPaymentDo}</p>
            </Empty>
          ) : (
            <Table
              label={t.effectOfTheRenewalPolicy}
              rows={about}
              keyOf={({ lifecycleId, contractId }) => lifecycleId ?? contractId}
              columns={columnsFor(policy)}
            />
          );
        }}
      </Shown>
    </Section>
  );
}
