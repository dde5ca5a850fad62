import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { addressOf } from '../../api/client.ts';
import type { Asked } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyAs, Party } from '../../parts/copy.tsx';
import { Select } from '../../parts/field.tsx';
import { Filters } from '../../parts/filters.tsx';
import { List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import { useCaller } from '../../api/caller.tsx';
import { cliFlags } from '../../parts/flags.ts';
import { merged } from '../../search.ts';
import { TIMER_KINDS, TIMER_STATES } from './desk-words.ts';
import styles from './desk.module.css';
import { RearmDialog } from './rearm-dialog.tsx';
import type { Timer } from './rearm-dialog.tsx';

const LIMIT = 50;

function What({ of: { kind, lifecycleId, licenseNum } }: { readonly of: Timer }) {
  const isRenewal = kind === 'withdraw';
  return (
    <div className={styles.named}>
      <Link to={isRenewal ? PATHS.renewal : PATHS.license} params={{ contractId: lifecycleId }}>
        {isRenewal ? `Renewal of № ${licenseNum}` : `Licence № ${licenseNum}`}
      </Link>
      <span className={styles.small}>{TIMER_KINDS[kind]}</span>
    </div>
  );
}

function State({ of }: { readonly of: Timer }) {
  const isLapsed = Date.parse(of.lapsesAt) < useNowMs();
  const [tone, words] = TIMER_STATES[of.state] ?? ['plain', of.state];
  return (
    <div className={styles.why}>
      <p>
        <Badge tone={tone}>{words}</Badge>{' '}
        {of.operationId === undefined ? null : (
          <Link to={PATHS.opsOperation} params={{ id: of.operationId }}>
            its operation
          </Link>
        )}
      </p>
      {of.state === 'waiting' && isLapsed ? (
        <p className={styles.small}>Expired; no policy acted on it.</p>
      ) : null}
      {of.generation === 0 ? null : (
        <p className={styles.small}>
          {of.generation} of its operations have failed
          {of.notBefore === undefined ? null : (
            <>
              ; not before <Time at={of.notBefore} />
            </>
          )}
        </p>
      )}
    </div>
  );
}

const columnsFor = (
  rearm: (timer: Timer) => void,
  refusal: string | undefined,
): readonly Column<Timer>[] => [
  { name: 'Licence or renewal', cell: (timer) => <What of={timer} /> },
  {
    name: 'Expires',
    cell: ({ lapsesAt }) => (
      <div className={styles.named}>
        <Time at={lapsesAt} />
        <span className={styles.small}>
          <Time at={lapsesAt} as="short" />
        </span>
      </div>
    ),
  },
  { name: 'State', cell: (timer) => <State of={timer} />, as: 'grow' },
  { name: 'User', cell: ({ user }) => <Party party={user} /> },
  {
    name: 'Next',
    cell: (timer) =>
      timer.state === 'given-up' ? (
        <Button isSmall refused={refusal} onClick={() => rearm(timer)}>
          Restart
        </Button>
      ) : null,
  },
];

const STATES = [
  ['', 'Any state'],
  ...Object.entries(TIMER_STATES).map(([value, [, words]]) => [value, words] as const),
] as const;

const KINDS = [['', 'Any kind'], ...Object.entries(TIMER_KINDS)] as const;

/** The page of timers for licences and renewals: pending ones, fired ones and those that were given up. */
export function TimersPage() {
  const search = useSearch({ from: PATHS.timers });
  const navigate = useNavigate({ from: PATHS.timers });
  const { operatorOf } = useCaller();
  const [rearmed, setRearmed] = useState<Timer | null>(null);
  const query = { ...search, limit: LIMIT } as NonNullable<Asked<'/ops/timers'>['query']>;
  const timers = useRead('/ops/timers', { query }, { topics: ['desk'], everyMs: 10_000 });
  const change = (over: Readonly<Record<string, string | null>>): void =>
    void navigate({ search: (before) => merged(before, over) });
  const refusal = operatorOf === 'tenant' ? 'For the provider’s operators' : undefined;
  const { cursor: _here, ...flags } = search;
  return (
    <Page
      title="Timers"
      lead="When licences expire and renewals close, by the ledger’s time. A policy acts on expired ones."
      acts={
        <CopyAs
          url={addressOf('/ops/timers', { query })}
          cli={`tenure ops timers${cliFlags(flags)}`}
        />
      }
    >
      <Filters>
        <Select
          label="State"
          value={search.state ?? ''}
          options={STATES}
          onChange={(state) => change({ state: state || null })}
        />
        <Select
          label="Kind"
          value={search.kind ?? ''}
          options={KINDS}
          onChange={(kind) => change({ kind: kind || null })}
        />
      </Filters>
      <List
        of={timers}
        label="Timers"
        keyOf={({ lifecycleId }) => lifecycleId}
        columns={columnsFor(setRearmed, refusal)}
        empty={
          <Empty title="No timer matches.">
            <p>Each licence has one that says when it expires, and each renewal when it closes.</p>
          </Empty>
        }
      />
      {rearmed === null ? null : <RearmDialog timer={rearmed} onClose={() => setRearmed(null)} />}
    </Page>
  );
}
