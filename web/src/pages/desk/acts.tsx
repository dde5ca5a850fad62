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
import type { BulkAct } from './act-parts.tsx';
import { ActBadge, actTitle, Progress } from './act-parts.tsx';
import styles from './desk.module.css';
import { filterOfAct, filterSentence } from './filter.ts';

const COLUMNS: readonly Column<BulkAct>[] = [
  { name: 'State', cell: ({ state }) => <ActBadge state={state} /> },
  {
    name: 'Act',
    as: 'grow',
    cell: (act) => (
      <div className={styles.why}>
        <Link to={PATHS.act} params={{ id: act.id }}>
          {actTitle(act)}
        </Link>
        <p className={styles.small}>on {filterSentence(filterOfAct(act.filter))}</p>
        <p className={styles.small}>“{act.reason}”</p>
      </div>
    ),
  },
  { name: 'Progress', cell: (act) => <Progress of={act} /> },
  {
    name: 'By',
    cell: ({ bySubject }) => <Person subject={bySubject} />,
  },
  { name: 'Applied', cell: ({ appliedAt }) => <Time at={appliedAt} /> },
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
      title="Bulk acts"
      lead="Acts on all operations that match a filter. Each act is recorded at once, and its operations are processed in order."
      acts={<CopyAs url={addressOf('/ops/acts', { query })} cli="tenure ops acts" />}
    >
      <List
        of={acts}
        label="Bulk acts"
        keyOf={({ id }) => id}
        columns={COLUMNS}
        empty={
          <Empty title="There are no bulk acts yet.">
            <p>
              Filter the <Link to={PATHS.operations}>operations</Link>, or choose a{' '}
              <Link to={PATHS.failures}>failure</Link>, and act on all of them.
            </p>
          </Empty>
        }
      />
    </Page>
  );
}
