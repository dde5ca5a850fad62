import { Link, useSearch } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { Asked } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs } from '../../parts/copy.tsx';
import { List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Person } from '../../parts/person.tsx';
import { PATHS } from '../../paths.ts';
import * as t from '../../texts/desk.tsx';
import type { BulkAct } from './act-parts.tsx';
import { ActBadge, actTitle, Progress } from './act-parts.tsx';
import styles from './desk.module.css';
import { filterOfAct, filterSentence } from './filter.ts';

const COLUMNS: readonly Column<BulkAct>[] = [
  { name: t.state, cell: ({ state }) => <ActBadge state={state} /> },
  {
    name: t.act,
    as: 'grow',
    cell: (act) => (
      <div className={styles.why}>
        <Link to={PATHS.act} params={{ id: act.id }}>
          {actTitle(act)}
        </Link>
        <p className={styles.small}>{t.onFilter(filterSentence(filterOfAct(act.filter)))}</p>
        <p className={styles.small}>“{act.reason}”</p>
      </div>
    ),
  },
  { name: t.progress, cell: (act) => <Progress of={act} /> },
  {
    name: t.by,
    cell: ({ bySubject }) => <Person subject={bySubject} />,
  },
  { name: t.applied, cell: ({ appliedAt }) => <Time at={appliedAt} /> },
];

const EVERY_MS = 10_000;
const RUNNING_EVERY_MS = 2_000;

/** The page of acts on many operations, with the request and the progress of each. */
export function ActsPage() {
  const { cursor } = useSearch({ from: PATHS.acts });
  const query: NonNullable<Asked<'/ops/acts'>['query']> = cursor === undefined ? {} : { cursor };
  const acts = useRead(
    '/ops/acts',
    { query },
    {
      topics: ['desk'],
      everyMs: (last) =>
        last?.some(({ state }) => state === 'running') === true ? RUNNING_EVERY_MS : EVERY_MS,
    },
  );
  return (
    <Page
      title={t.bulkActs}
      lead={t.actsOnAllOperationsThatMatch}
      acts={<CopyAs url={addressOf('/ops/acts', { query })} cli="tenure ops acts" />}
    >
      <List
        of={acts}
        label={t.bulkActs}
        keyOf={({ id }) => id}
        columns={COLUMNS}
        empty={
          <Empty title={t.thereAreNoBulkActsYet}>
            <p>
              {t.filterTheOrChooseAAnd(
                <Link to={PATHS.operations}>{t.operationsLink}</Link>,
                <Link to={PATHS.failures}>{t.failureLink}</Link>,
              )}
            </p>
          </Empty>
        }
      />
    </Page>
  );
}
