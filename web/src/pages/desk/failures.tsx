import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { addressOf } from '../../api/client.ts';
import type { Asked } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs } from '../../parts/copy.tsx';
import { Select } from '../../parts/field.tsx';
import { Filters } from '../../parts/filters.tsx';
import { List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { PATHS } from '../../paths.ts';
import { OPERATIONS } from '../../parts/words.ts';
import { cliFlags } from '../../parts/flags.ts';
import { merged } from '../../search.ts';
import { FailureActDialog } from './failure-act.tsx';
import type { FailureAsked } from './failure-act.tsx';
import { FailureCard } from './failure-card.tsx';
import styles from './failures.module.css';

const SHOWN = [
  ['open', 'Open'],
  ['resolved', 'Resolved'],
  ['ignored', 'Ignored'],
  ['all', 'All'],
] as const;

function Nothing({ state }: { readonly state: string }) {
  const isOpen = state === 'open';
  return (
    <Empty title={isOpen ? 'No failure is open.' : 'No failure matches.'}>
      <p>
        {isOpen
          ? 'Operations that failed finally are grouped here by cause.'
          : 'Choose other filters.'}
      </p>
    </Empty>
  );
}

/** The page of failures. All operations that failed in the same way are one entry. */
export function FailuresPage() {
  const search = useSearch({ from: PATHS.failures });
  const navigate = useNavigate({ from: PATHS.failures });
  const [asking, setAsking] = useState<FailureAsked | null>(null);
  const query = search as NonNullable<Asked<'/ops/failures'>['query']>;
  const failures = useRead('/ops/failures', { query }, { topics: ['desk'], everyMs: 10_000 });
  const change = (over: Readonly<Record<string, string | null>>): void =>
    void navigate({ search: (before) => merged(before, over) });
  const { cursor: _here, ...flags } = search;
  return (
    <Page
      title="Failures"
      lead="Failed operations, grouped by cause, the most recent first."
      acts={
        <CopyAs
          url={addressOf('/ops/failures', { query })}
          cli={`tenure ops failures${cliFlags(flags)}`}
        />
      }
    >
      <Filters>
        <Select
          label="Shown"
          value={search.state ?? 'open'}
          options={SHOWN}
          onChange={(state) => change({ state: state === 'open' ? null : state })}
        />
        <Select
          label="Operation"
          value={search.operation ?? ''}
          options={[['', 'Any'], ...OPERATIONS]}
          onChange={(operation) => change({ operation: operation || null })}
        />
      </Filters>
      <List
        of={failures}
        label="Failures"
        keyOf={({ fingerprint }) => fingerprint}
        empty={<Nothing state={search.state ?? 'open'} />}
        renderCards={(rows) => (
          <ul className={styles.groups}>
            {rows.map((failure) => (
              <li key={failure.fingerprint}>
                <FailureCard failure={failure} onAct={(act) => setAsking({ act, failure })} />
              </li>
            ))}
          </ul>
        )}
      />
      {asking === null ? null : <FailureActDialog {...asking} onClose={() => setAsking(null)} />}
      <p className={styles.small}>
        Each operation is listed under <Link to={PATHS.operations}>Operations</Link>.
      </p>
    </Page>
  );
}
