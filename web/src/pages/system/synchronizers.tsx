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

type Synchronizer = components['schemas']['OpsSynchronizer'];

interface GiveUpProps {
  readonly of: Synchronizer;
  readonly onClose: () => void;
}

function GiveUpDialog({ of: { participant, synchronizer }, onClose }: GiveUpProps) {
  return (
    <OnceDialog
      title="Give up this synchronizer"
      verb="Give up"
      look="danger"
      url="/ops/synchronizers:give-up"
      preview="/ops/synchronizers:preview-give-up"
      more={() => ({ participant, synchronizer })}
      cli={`tenure ops give-up ${quoted(participant)} ${quoted(synchronizer)}`}
      isRepeatable
      onClose={onClose}
    >
      <p>
        {participant} has left <strong>{synchronizer.split('::')[0]}</strong>, and will not return
        to it.
      </p>
      <Note tone="warn" title="Tenure no longer waits for the time of this synchronizer">
        <p>
          Tenure assumes that unanswered commands there did not take effect. This is refused while
          the participant is connected to the synchronizer or does not answer.
        </p>
      </Note>
    </OnceDialog>
  );
}

const columnsFor = (giveUp: (one: Synchronizer) => void): readonly Column<Synchronizer>[] => [
  {
    name: 'Synchronizer',
    cell: ({ synchronizer }) => <Id id={synchronizer} what="synchronizer" />,
  },
  { name: 'Participant', cell: ({ participant }) => participant },
  {
    name: 'State',
    as: 'grow',
    cell: ({ givenUpAt }) =>
      givenUpAt === undefined ? (
        <Badge tone="good">Followed</Badge>
      ) : (
        <>
          <Badge tone="warn">Given up</Badge> <Time at={givenUpAt} />
        </>
      ),
  },
  { name: 'Time reported up to', cell: ({ toldAt }) => <Time at={toldAt} /> },
  {
    name: 'Act',
    cell: (one) => (
      <Button
        isSmall
        look="danger"
        refused={one.givenUpAt === undefined ? undefined : 'Given up already'}
        onClick={() => giveUp(one)}
      >
        Give up
      </Button>
    ),
  },
];

/** The last record time that each participant has reported for each synchronizer. Proofs wait for these times. */
export function Synchronizers() {
  const [asked, setAsked] = useState<Synchronizer | null>(null);
  const known = useRead('/ops/synchronizers', {}, { topics: ['desk'], everyMs: 10_000 });
  return (
    <Section title="Synchronizers">
      <Shown of={known} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No participant has reported a synchronizer yet." />
          ) : (
            <Table
              label="Synchronizers by participant"
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
