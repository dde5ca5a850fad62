import { useState } from 'react';
import { OnceDialog } from '../../acts/once-dialog.tsx';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Id, quoted } from '../../parts/copy.tsx';
import { Note } from '../../parts/note.tsx';
import { Section } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import * as t from '../../texts/system.tsx';

type Synchronizer = components['schemas']['OpsSynchronizer'];

interface GiveUpProps {
  readonly of: Synchronizer;
  readonly onClose: () => void;
}

function GiveUpDialog({ of: { participant, synchronizer }, onClose }: GiveUpProps) {
  return (
    <OnceDialog
      title={t.giveUpThisSynchronizer}
      verb={t.giveUp}
      look="danger"
      url="/ops/synchronizers:give-up"
      preview="/ops/synchronizers:preview-give-up"
      more={() => ({ participant, synchronizer })}
      cli={`tenure ops give-up ${quoted(participant)} ${quoted(synchronizer)}`}
      isRepeatable
      onClose={onClose}
    >
      <p>
        {t.hasLeftAndWillNotReturn(participant, <strong>{synchronizer.split('::')[0]}</strong>)}
      </p>
      <Note tone="warn" title={t.tenureNoLongerWaitsForThe}>
        <p>{t.tenureAssumesThatUnanswered}</p>
      </Note>
    </OnceDialog>
  );
}

const columnsFor = (giveUp: (one: Synchronizer) => void): readonly Column<Synchronizer>[] => [
  {
    name: t.synchronizer,
    cell: ({ synchronizer }) => <Id id={synchronizer} what={t.synchronizerWord} />,
  },
  { name: t.participant, cell: ({ participant }) => participant },
  {
    name: t.state,
    as: 'grow',
    cell: ({ givenUpAt }) =>
      givenUpAt === undefined ? (
        <Badge tone="good">{t.followed}</Badge>
      ) : (
        <>
          <Badge tone="warn">{t.givenUp}</Badge> <Time at={givenUpAt} />
        </>
      ),
  },
  { name: t.timeReportedUpTo, cell: ({ toldAt }) => <Time at={toldAt} /> },
  {
    name: t.act,
    cell: (one) => (
      <Button
        isSmall
        look="danger"
        refused={one.givenUpAt === undefined ? undefined : t.givenUpAlready}
        onClick={() => giveUp(one)}
      >
        {t.giveUp}
      </Button>
    ),
  },
];

/** The last record time that each participant has reported for each synchronizer. Proofs wait for these times. */
export function Synchronizers() {
  const [asked, setAsked] = useState<Synchronizer | null>(null);
  const known = useRead('/ops/synchronizers', {}, { topics: ['desk'], everyMs: 10_000 });
  return (
    <Section title={t.synchronizers}>
      <Shown of={known} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.noParticipantHasReportedA} />
          ) : (
            <Table
              label={t.synchronizersByParticipant}
              rows={data}
              keyOf={({ participant, synchronizer }) => `${participant} ${synchronizer}`}
              columns={columnsFor(setAsked)}
            />
          )
        }
      </Shown>
      {asked === null ? null : <GiveUpDialog of={asked} onClose={() => setAsked(null)} />}
    </Section>
  );
}
