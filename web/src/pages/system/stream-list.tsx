import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Section } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { sentence, spanWords } from '../../parts/words.ts';
import * as t from '../../texts/system.tsx';
import styles from './system.module.css';

type Stream = components['schemas']['OpsStream'];

/** A larger lag is highlighted. The digest of items that need a person has the same threshold. */
const LAGS_S = 60;

function Lag({ of: { lagOffsets, lagSeconds, reason } }: { readonly of: Stream }) {
  if (reason !== undefined) {
    return (
      <>
        <Badge tone="bad">{t.noAnswer}</Badge>{' '}
        <span className={styles.small}>{sentence(reason)}</span>
      </>
    );
  }
  if (lagOffsets === 0) return <Badge tone="good">{t.atTheEnd}</Badge>;
  const isLate = lagSeconds !== undefined && lagSeconds > LAGS_S;
  return (
    <>
      <Badge tone={isLate ? 'bad' : 'info'}>
        {lagSeconds === undefined ? t.behind : t.behindOf(spanWords(lagSeconds * 1_000))}
      </Badge>{' '}
      <span className={styles.small}>{t.offsets(lagOffsets ?? 0)}</span>
    </>
  );
}

const COLUMNS: readonly Column<Stream>[] = [
  { name: t.stream, cell: ({ stream }) => <strong>{stream}</strong> },
  { name: t.participant, cell: ({ participant }) => participant },
  { name: t.lag, cell: (stream) => <Lag of={stream} />, as: 'grow' },
  { name: t.appliedOffset, cell: ({ offset }) => offset, as: 'end' },
  { name: t.ledgerEnd, cell: ({ ledgerEnd }) => ledgerEnd ?? t.unknownWord, as: 'end' },
  {
    name: t.newestOf,
    cell: ({ recordTime }) => (recordTime === undefined ? '' : <Time at={recordTime} />),
  },
];

/** Shows how far each stream of the ledger has been applied. */
export function StreamList() {
  const streams = useRead('/ops/streams', {}, { topics: ['desk'], everyMs: 5_000 });
  return (
    <Section title={t.streams}>
      <Shown of={streams} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.noStreamIsReadYet}>
              <p>{t.aProcessWithTheRoleProjector}</p>
            </Empty>
          ) : (
            <Table
              label={t.ledgerStreams}
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
