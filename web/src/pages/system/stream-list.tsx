import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Section } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { sentence, spanWords } from '../../parts/words.ts';
import styles from './system.module.css';

type Stream = components['schemas']['OpsStream'];

/** A larger lag is highlighted. The digest of items that need a person has the same threshold. */
const LAGS_S = 60;

function Lag({ of: { lagOffsets, lagSeconds, reason } }: { readonly of: Stream }) {
  if (reason !== undefined) {
    return (
      <>
        <Badge tone="bad">No answer</Badge> <span className={styles.small}>{sentence(reason)}</span>
      </>
    );
  }
  if (lagOffsets === 0) return <Badge tone="good">At the end</Badge>;
  const isLate = lagSeconds !== undefined && lagSeconds > LAGS_S;
  return (
    <>
      <Badge tone={isLate ? 'bad' : 'info'}>
        {lagSeconds === undefined ? 'Behind' : `${spanWords(lagSeconds * 1_000)} behind`}
      </Badge>{' '}
      <span className={styles.small}>{lagOffsets ?? 0} offsets</span>
    </>
  );
}

const COLUMNS: readonly Column<Stream>[] = [
  { name: 'Stream', cell: ({ stream }) => <strong>{stream}</strong> },
  { name: 'Participant', cell: ({ participant }) => participant },
  { name: 'Lag', cell: (stream) => <Lag of={stream} />, as: 'grow' },
  { name: 'Applied offset', cell: ({ offset }) => offset, as: 'end' },
  { name: 'Ledger end', cell: ({ ledgerEnd }) => ledgerEnd ?? 'unknown', as: 'end' },
  {
    name: 'Newest of',
    cell: ({ recordTime }) => (recordTime === undefined ? '' : <Time at={recordTime} />),
  },
];

/** Shows how far each stream of the ledger has been applied. */
export function StreamList() {
  const streams = useRead('/ops/streams', {}, { topics: ['desk'], everyMs: 5_000 });
  return (
    <Section title="Streams">
      <Shown of={streams} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No stream is read yet.">
              <p>
                A process with the role projector reads the streams. Check whether one is running.
              </p>
            </Empty>
          ) : (
            <Table
              label="Ledger streams"
              rows={data}
              keyOf={({ stream }) => stream}
              columns={COLUMNS}
            />
          )
        }
      </Shown>
    </Section>
  );
}
