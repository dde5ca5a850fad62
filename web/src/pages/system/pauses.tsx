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
import { CIRCUIT_WORDS, isCircuit, pausedThing, ResumeDialog } from '../../acts/pause.tsx';
import type { Pause } from '../../acts/pause.tsx';
import * as t from '../../texts/system.tsx';
import { StopDialog } from './stop-dialog.tsx';
import styles from './system.module.css';

function What({ of }: { readonly of: Pause }) {
  if (!isCircuit(of)) {
    return (
      <>
        <Badge tone="warn" icon="pause">
          {of.mode === 'drain' ? t.drained : t.paused}
        </Badge>{' '}
        <strong>{pausedThing(of)}</strong>
      </>
    );
  }
  return (
    <>
      <Badge tone="bad">{t.backingOff}</Badge> <strong>{t.participantNamed(of.name)}</strong>{' '}
      {CIRCUIT_WORDS[of.mode]}
    </>
  );
}

const columnsFor = (resume: (pause: Pause) => void): readonly Column<Pause>[] => [
  {
    name: t.what,
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
  { name: t.waitingOperations, cell: ({ held }) => held ?? '', as: 'end' },
  { name: t.since, cell: ({ since }) => <Time at={since} /> },
  {
    name: t.by,
    cell: ({ bySubject }) => (bySubject === undefined ? 'itself' : <Person subject={bySubject} />),
  },
  {
    name: t.ends,
    cell: (pause) =>
      pause.until === undefined ? (
        <Button isSmall icon="play" onClick={() => resume(pause)}>
          {t.resume}
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
      title={t.stopped}
      more={
        <Button icon="pause" isSmall onClick={() => setStopping(true)}>
          {t.pauseOrDrainMore}
        </Button>
      }
    >
      <Shown of={pauses} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.nothingIsPaused}>
              <p>{t.pauseAParticipantBeforeYou}</p>
            </Empty>
          ) : (
            <Table
              label={t.activePauses}
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
