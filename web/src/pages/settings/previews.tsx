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

type Preview = components['schemas']['ExpiryPreview'];
type Renewal = components['schemas']['LicenseRenewalRequest'];
type RenewalPolicy = components['schemas']['RenewalPolicy'];

const LIMIT = 50;
/** Poll interval, because saved policies and lapsing licences change the preview without an event. */
const LOOK_MS = 10_000;

const VERDICTS: Readonly<Record<Preview['verdict'], readonly [Tone, string]>> = {
  due: ['warn', 'Due'],
  later: ['info', 'Later'],
  never: ['plain', 'Not by this policy'],
};

const HOLDS: Readonly<Record<string, readonly [title: string, text: string]>> = {
  off: [
    'The policy is off: no licence is ended automatically.',
    'The list shows what the policy would do. Choose the dry run to list licences when they are due.',
  ],
  'dry-run': [
    'Dry run: no licence ends.',
    'Licences that are due would end if the policy were on.',
  ],
  start: [
    'The policy is not in effect yet.',
    'Licences that are due end after its start. Until then, you can undo the policy.',
  ],
  paused: [
    'The policy is paused.',
    'No further licence ends. Licences that are due wait until the pause ends.',
  ],
  'quiet-hours': [
    'These are quiet hours.',
    'Licences that are due wait until the quiet hours are over.',
  ],
};

const COLUMNS: readonly Column<Preview>[] = [
  {
    name: 'Licence',
    cell: ({ contractId, licenseNum }) => (
      <Link to={PATHS.license} params={{ contractId }}>
        № {licenseNum}
      </Link>
    ),
  },
  { name: 'User', cell: ({ user }) => <Party party={user} /> },
  { name: 'Valid until', cell: ({ expiresAt }) => <Time at={expiresAt} as="short" /> },
  {
    name: 'Ends',
    cell: ({ verdict }) => {
      const [tone, words] = VERDICTS[verdict];
      return <Badge tone={tone}>{words}</Badge>;
    },
  },
  { name: 'When', cell: ({ at }) => (at === undefined ? '' : <Time at={at} />) },
  { name: 'Why', as: 'grow', cell: ({ why }) => <Readable text={why} /> },
];

function Held({ by }: { readonly by: string | undefined }) {
  if (by === undefined)
    return <Note tone="good" title="The policy is on: licences that are due end." />;
  const [title, text] = HOLDS[by] ?? [
    `The policy is held back: ${by}`,
    'Licences that are due wait.',
  ];
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
      title="Licences that the saved policy ends"
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
        label="Licences that the expiry policy ends"
        keyOf={({ lifecycleId }) => lifecycleId}
        columns={COLUMNS}
        empty={
          <Empty title="No licence can end.">
            <p>The saved policy affects no licence yet.</p>
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
    const why = 'the fee is paid as requested';
    return policy.complete ? ['good', 'Completes', why] : ['plain', 'Waits for you', why];
  }
  if (phase === 'lapsed') {
    const why = 'its deadline has passed';
    return policy.withdrawLapsed ? ['warn', 'Is withdrawn', why] : ['plain', 'Waits for you', why];
  }
  return phase === 'differs'
    ? ['plain', 'Waits for the user', 'the payment differs from the request']
    : null;
}

const columnsFor = (policy: RenewalPolicy): readonly Column<Renewal>[] => [
  {
    name: 'Renewal of',
    cell: ({ contractId, licenseNum }) => (
      <Link to={PATHS.renewal} params={{ contractId }}>
        Licence № {licenseNum}
      </Link>
    ),
  },
  { name: 'User', cell: ({ user }) => <Party party={user} /> },
  {
    name: 'Fee',
    as: 'end',
    cell: (one) => amount(one.licenseFeeAmount, one.licenseFeeInstrument),
  },
  {
    name: 'What happens',
    cell: (renewal) => {
      const [tone, words] = verdictOf(renewal, policy) ?? ['plain', ''];
      return <Badge tone={tone}>{words}</Badge>;
    },
  },
  { name: 'Why', as: 'grow', cell: (renewal) => verdictOf(renewal, policy)?.[2] ?? '' },
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
    <Section title="Effect on open renewals">
      <Shown of={renewals}>
        {({ data, next }) => {
          const about = data.filter((renewal) => verdictOf(renewal, policy) !== null);
          const among = next === null ? '' : ' among the first 1,000';
          return about.length === 0 ? (
            <Empty title={`No renewal${among} is paid or has expired.`}>
              <p>Renewals that wait for payment do not change.</p>
            </Empty>
          ) : (
            <Table
              label="Effect of the renewal policy"
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
