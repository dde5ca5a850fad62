import { useState } from 'react';
import { OnceDialog } from '../../acts/once-dialog.tsx';
import { useRead } from '../../api/use-read.ts';
import { partyName, quoted } from '../../parts/copy.tsx';
import { Radios, Select } from '../../parts/field.tsx';
import { useCaller } from '../../api/caller.tsx';
import { OPERATIONS } from '../../parts/words.ts';
import * as t from '../../texts/system.tsx';

type Scope = 'participant' | 'operation' | 'provider';
type Mode = 'pause' | 'drain';

const SCOPES: readonly (readonly [Scope, string])[] = [
  ['participant', t.operationsThroughAParticipant],
  ['operation', t.oneKindOfOperation],
  ['provider', t.allOperationsOfTheProvider],
];

const MODES: readonly (readonly [Mode, string, string])[] = [
  ['pause', t.pause, t.noFurtherCommandIsSubmitted],
  ['drain', t.drain, t.operationsThatHaveStarted],
];

/**
 * The dialog that pauses or drains a part of the submissions. If that part is already paused, it changes the mode and
 * the reason.
 */
export function StopDialog({ onClose }: { readonly onClose: () => void }) {
  const { party } = useCaller();
  const streams = useRead('/ops/streams');
  const [scope, setScope] = useState<Scope>('participant');
  const [chosen, setChosen] = useState<string>();
  const [mode, setMode] = useState<Mode>('pause');
  const followed = (streams.data?.data ?? [])
    .filter(({ stream }) => stream.startsWith('completions:'))
    .map(({ participant }) => [participant, participant] as const);
  const names = {
    participant: followed,
    operation: OPERATIONS,
    provider: [[party, partyName(party)] as const],
  }[scope];
  const name = chosen ?? names[0]?.[0] ?? '';
  return (
    <OnceDialog
      title={t.pauseOrDrain}
      verb={mode === 'drain' ? t.drain : t.pause}
      look="danger"
      url="/ops/pauses"
      more={() => (name === '' ? t.thereIsNothingToChooseFrom : { scope, name, mode })}
      cli={`tenure ops ${mode} ${scope} ${quoted(name)}`}
      isRepeatable
      onClose={onClose}
    >
      <p>{t.operationsAreStillAcceptedAnd}</p>
      <Select
        label={t.what}
        value={scope}
        options={SCOPES}
        onChange={(next) => {
          setScope(next);
          setChosen(undefined);
        }}
      />
      {scope === 'provider' ? null : (
        <Select
          label={scope === 'participant' ? t.participant : t.operation}
          value={name}
          options={names}
          onChange={setChosen}
        />
      )}
      <Radios label={t.how} value={mode} options={MODES} onChange={setMode} />
    </OnceDialog>
  );
}
