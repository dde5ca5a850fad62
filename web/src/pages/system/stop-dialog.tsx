import { useState } from 'react';
import { OnceDialog } from '../../acts/once-dialog.tsx';
import { useRead } from '../../api/use-read.ts';
import { partyName, quoted } from '../../parts/copy.tsx';
import { Radios, Select } from '../../parts/field.tsx';
import { useCaller } from '../../api/caller.tsx';
import { OPERATIONS } from '../../parts/words.ts';

type Scope = 'participant' | 'operation' | 'provider';
type Mode = 'pause' | 'drain';

const SCOPES: readonly (readonly [Scope, string])[] = [
  ['participant', 'Operations through a participant'],
  ['operation', 'One kind of operation'],
  ['provider', 'All operations of the provider'],
];

const MODES: readonly (readonly [Mode, string, string])[] = [
  [
    'pause',
    'Pause',
    'No further command is submitted. Submitted commands are followed to their end.',
  ],
  ['drain', 'Drain', 'Operations that have started continue. No new operation starts.'],
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
      title="Pause or drain"
      verb={mode === 'drain' ? 'Drain' : 'Pause'}
      look="danger"
      url="/ops/pauses"
      more={() => (name === '' ? 'There is nothing to choose from yet.' : { scope, name, mode })}
      cli={`tenure ops ${mode} ${scope} ${quoted(name)}`}
      isRepeatable
      onClose={onClose}
    >
      <p>Operations are still accepted, and wait until you resume.</p>
      <Select
        label="What"
        value={scope}
        options={SCOPES}
        onChange={(next) => {
          setScope(next);
          setChosen(undefined);
        }}
      />
      {scope === 'provider' ? null : (
        <Select
          label={scope === 'participant' ? 'Participant' : 'Operation'}
          value={name}
          options={names}
          onChange={setChosen}
        />
      )}
      <Radios label="How" value={mode} options={MODES} onChange={setMode} />
    </OnceDialog>
  );
}
