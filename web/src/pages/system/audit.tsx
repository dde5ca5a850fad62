import { useNavigate, useSearch } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { Asked } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs, Party } from '../../parts/copy.tsx';
import { List } from '../../parts/list.tsx';
import { Page, RawJson } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { inWords } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import { cliFlags } from '../../parts/flags.ts';
import { Person } from '../../parts/person.tsx';
import { merged } from '../../search.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditObject } from './audit-object.tsx';
import styles from './system.module.css';

type Entry = components['schemas']['AuditEntry'];

const isSomething = (detail: object): boolean => Object.keys(detail).length > 0;

const COLUMNS: readonly Column<Entry>[] = [
  {
    name: 'When',
    cell: ({ at }) => (
      <div className={styles.entry}>
        <Time at={at} />
        <span className={styles.at}>
          <Time at={at} as="short" />
        </span>
      </div>
    ),
  },
  {
    name: 'Who',
    cell: ({ bySubject, byParty }) => (
      <div className={styles.entry}>
        <span className={styles.who}>
          <Person subject={bySubject} />
        </span>
        <span className={styles.line}>
          <Party party={byParty} />
        </span>
      </div>
    ),
  },
  {
    name: 'Did what',
    cell: ({ act, from, to }) => (
      <div className={styles.entry}>
        <strong>{inWords(act)}</strong>
        {from === undefined || to === undefined || from === to ? null : (
          <span className={styles.small}>
            {inWords(from)} → {inWords(to)}
          </span>
        )}
      </div>
    ),
  },
  { name: 'To what', cell: (entry) => <AuditObject of={entry} /> },
  {
    name: 'Why',
    as: 'grow',
    cell: ({ reason, detail }) => (
      <div className={styles.entry}>
        <span>{reason}</span>
        {isSomething(detail) ? <RawJson title="More" value={detail} /> : null}
      </div>
    ),
  },
];

/** The page of the audit log, to which rows are only ever added. */
export function AuditPage() {
  const search = useSearch({ from: PATHS.audit });
  const navigate = useNavigate({ from: PATHS.audit });
  const query: NonNullable<Asked<'/ops/audit'>['query']> = search;
  const entries = useRead('/ops/audit', { query }, { topics: ['desk'], everyMs: 10_000 });
  const change = (over: Readonly<Record<string, string | null>>): void =>
    void navigate({ search: (before) => merged(before, over) });
  const { cursor: _page, ...flags } = search;
  const isFiltered = Object.keys(flags).length > 0;
  return (
    <Page
      title="Audit"
      lead="Who did what, on which object and why, newest first."
      acts={
        <CopyAs
          url={addressOf('/ops/audit', { query })}
          cli={`tenure ops audit${cliFlags(flags)}`}
        />
      }
    >
      <AuditFilters search={search} onChange={change} />
      <List
        of={entries}
        label="Acts of persons"
        keyOf={({ id }) => String(id)}
        columns={COLUMNS}
        empty={
          <Empty title={isFiltered ? 'No entry matches.' : 'There are no entries yet.'}>
            <p>Each act that requires a reason is listed here with its reason.</p>
          </Empty>
        }
      />
    </Page>
  );
}
