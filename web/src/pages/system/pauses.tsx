import { useState } from 'react';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';

import { Section } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { sentence } from '../../parts/words.ts';
import { Person } from '../../parts/person.tsx';
import { CIRCUIT_WORDS, isCircuit, pauseName, ResumeDialog } from '../../acts/pause.tsx';
import type { Pause } from '../../acts/pause.tsx';
import { StopDialog } from './stop-dialog.tsx';
import styles from './system.module.css';

function What({ of }: { readonly of: Pause }) {
  if (!isCircuit(of)) {
    return (
      <>
        <Badge tone="warn" icon="pause">
          {of.mode === 'drain' ? 'Drained' : 'Paused'}
        </Badge>{' '}
        <strong>{pauseName(of).replace(/, (?:paused|drained)$/u, '')}</strong>
      </>
    );
  }
  return (
    <>
      <Badge tone="bad">Backing off</Badge> <strong>Participant {of.name}</strong>{' '}
      {CIRCUIT_WORDS[of.mode]}
    </>
  );
}

const columnsFor = (resume: (pause: Pause) => void): readonly Column<Pause>[] => [
  {
    name: 'What',
    as: 'grow',
    cell: (pause) => (
      <>
        <p>
          <What of={pause} />
        </p>
        <p className={styles.small}>{sentence(pause.reason)}</p>
      </>
    ),
  },
  { name: 'Waiting operations', cell: ({ held }) => held ?? '', as: 'end' },
  { name: 'Since', cell: ({ since }) => <Time at={since} /> },
  {
    name: 'By',
    cell: ({ bySubject }) => (bySubject === undefined ? 'itself' : <Person subject={bySubject} />),
  },
  {
    name: 'Ends',
    cell: (pause) =>
      pause.until === undefined ? (
        <Button isSmall icon="play" onClick={() => resume(pause)}>
          Resume
        </Button>
      ) : (
        <Time at={pause.until} />
      ),
  },
];

/** Lists the pauses of operators, and participants with an open circuit. */
export function Pauses() {
  const [isStopping, setStopping] = useState(false);
  const [resumed, setResumed] = useState<Pause | null>(null);
  const pauses = useRead('/ops/pauses', {}, { topics: ['desk'], everyMs: 10_000 });
  return (
    <Section
      title="Stopped"
      more={
        <Button icon="pause" isSmall onClick={() => setStopping(true)}>
          Pause or drain…
        </Button>
      }
    >
      <Shown of={pauses} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="Nothing is paused.">
              <p>Pause a participant before you upgrade it. No operation is lost.</p>
            </Empty>
          ) : (
            <Table
              label="Active pauses"
              rows={data}
              keyOf={({ scope, name, mode }) => `${scope} ${name} ${mode}`}
              columns={columnsFor(setResumed)}
            />
          )
        }
      </Shown>
      {isStopping ? <StopDialog onClose={() => setStopping(false)} /> : null}
      {resumed === null ? null : <ResumeDialog pause={resumed} onClose={() => setResumed(null)} />}
    </Section>
  );
}
