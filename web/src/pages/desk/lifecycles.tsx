import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { Asked } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { CountsChart } from '../../chart/statechart.tsx';
import { Badge } from '../../parts/badge.tsx';
import { CopyAs, Party } from '../../parts/copy.tsx';
import { Chips } from '../../parts/chips.tsx';
import { List } from '../../parts/list.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { countWords, inWords, KIND_WORDS, lifecycleState } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import type { readLifecycles } from '../../search.ts';
import { cliFlags } from '../../parts/flags.ts';
import { merged } from '../../search.ts';
import { KINDS } from './desk-words.ts';
import { valueWords } from './filter.ts';
import { LifecycleFilters } from './lifecycle-filters.tsx';
import { pageOfKind } from './lifecycle-link.ts';
import styles from './lifecycles.module.css';

type Lifecycle = components['schemas']['OpsLifecycle'];
type LifecycleCount = components['schemas']['OpsLifecycleCount'];
type Search = ReturnType<typeof readLifecycles>;
type Query = NonNullable<Asked<'/ops/lifecycles'>['query']>;
type Change = (over: Readonly<Record<string, string | null>>) => void;

function nameOf({ kind, licenseNum }: Lifecycle): string {
  const words = KIND_WORDS[kind] ?? kind;
  if (licenseNum === undefined) return words;
  return kind === 'renewal' ? `Renewal of № ${licenseNum}` : `${words} № ${licenseNum}`;
}

const COLUMNS: readonly Column<Lifecycle>[] = [
  {
    name: 'Lifecycle',
    cell: (one) => (
      <Link to={pageOfKind(one.kind)} params={{ contractId: one.id }}>
        {nameOf(one)}
      </Link>
    ),
  },
  {
    name: 'State',
    cell: ({ state }) => {
      const [tone, words] = lifecycleState(state);
      return <Badge tone={tone}>{words}</Badge>;
    },
  },
  { name: 'In this state since', cell: ({ stateSince }) => <Time at={stateSince} /> },
  { name: 'User', cell: ({ user }) => <Party party={user} /> },
  { name: 'Started', cell: ({ createdAt }) => <Time at={createdAt} as="short" /> },
  {
    name: 'Valid until',
    cell: ({ expiresAt }) => (expiresAt === undefined ? '' : <Time at={expiresAt} as="short" />),
  },
  {
    name: 'Operations',
    cell: ({ id }) => (
      <Link to={PATHS.operations} search={{ lifecycleId: id }}>
        all of it
      </Link>
    ),
  },
];

interface KindsProps {
  readonly kind: string;
  readonly counts: readonly LifecycleCount[];
  readonly onChange: Change;
}

/** Buttons for the kinds, each with the number of its lifecycles. */
function Kinds({ kind, counts, onChange }: KindsProps) {
  return (
    <div className={styles.kinds} role="group" aria-label="Kind">
      {KINDS.map(([value, words]) => {
        const of = counts.filter((one) => one.kind === value);
        const sum = of.reduce((total, { count }) => total + count, 0);
        return (
          <button
            key={value}
            type="button"
            aria-pressed={value === kind}
            onClick={() => onChange({ kind: value, state: null })}
          >
            {words}{' '}
            <strong>
              {countWords(
                sum,
                of.some(({ more }) => more),
              )}
            </strong>
          </button>
        );
      })}
    </div>
  );
}

function Chart({ kind, counts, search, onChange }: KindsProps & { readonly search: Search }) {
  const machines = useRead('/machines');
  return (
    <Shown of={machines}>
      {({ data }) => {
        const machine = data.find((one) => one.kind === kind && one.newest);
        if (machine === undefined) return null;
        return (
          <CountsChart
            kind={kind}
            version={machine.version}
            counts={counts.filter((one) => one.kind === kind)}
            selected={search.state ?? null}
            onSelect={(state) => onChange({ kind, state })}
          />
        );
      }}
    </Shown>
  );
}

function Found({
  search,
  kind,
  onChange,
}: Omit<KindsProps, 'counts'> & { readonly search: Search }) {
  const query = { ...search, kind } as Query;
  const found = useRead('/ops/lifecycles', { query }, { topics: ['desk'], everyMs: 10_000 });
  const chips = (['state', 'party', 'until'] as const).flatMap((name) => {
    const value = search[name];
    if (value === undefined) return [];
    const words = name === 'state' ? inWords(value) : valueWords(name, value);
    const label = name === 'state' ? 'State' : name === 'party' ? 'Party' : 'Older than';
    const onRemove = (): void => onChange({ [name]: null });
    return [{ key: name, name: label, value: words, title: value, onRemove }];
  });
  return (
    <>
      <Chips of={chips} onClear={() => onChange({ state: null, party: null, until: null })} />
      <List
        of={found}
        label="Lifecycles"
        keyOf={({ id }) => id}
        columns={COLUMNS}
        empty={
          <Empty title="No lifecycle matches.">
            <p>Only active lifecycles are counted and listed.</p>
          </Empty>
        }
      />
    </>
  );
}

/** The page of active lifecycles: their number in each state, and a list. */
export function LifecyclesPage() {
  const search = useSearch({ from: PATHS.lifecycles });
  const navigate = useNavigate({ from: PATHS.lifecycles });
  const kind = search.kind ?? 'license';
  const change: Change = (over) => void navigate({ search: (before) => merged(before, over) });
  const { party, until } = search;
  const narrowed = {
    ...(party === undefined ? {} : { party }),
    ...(until === undefined ? {} : { until }),
  };
  const counts = useRead(
    '/ops/lifecycles/counts',
    { query: narrowed },
    { topics: ['desk'], everyMs: 10_000 },
  );
  const { cursor: _here, ...flags } = search;
  const query = { ...search, kind } as Query;
  return (
    <Page
      title="Lifecycles"
      lead="Active lifecycles by state. Select a state to list its lifecycles, the oldest first."
      acts={
        <CopyAs
          url={addressOf('/ops/lifecycles', { query })}
          cli={`tenure ops lifecycles${cliFlags({ ...flags, kind })}`}
        />
      }
    >
      <Shown of={counts}>
        {({ data }) => (
          <>
            <Kinds kind={kind} counts={data} onChange={change} />
            <Section title={`${KIND_WORDS[kind] ?? inWords(kind)}, by state`} isCard>
              <Chart kind={kind} counts={data} search={search} onChange={change} />
            </Section>
          </>
        )}
      </Shown>
      <LifecycleFilters search={search} onChange={change} />
      <Found search={search} kind={kind} onChange={change} />
    </Page>
  );
}
