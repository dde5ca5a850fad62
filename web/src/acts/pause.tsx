import { OnceDialog } from './once-dialog.tsx';
import type { components } from '../../../client/schema.ts';
import { partyName } from '../parts/copy.tsx';
import { operationName } from '../parts/words.ts';

export type Pause = components['schemas']['Pause'];

/** Reasons for which nothing is sent to a participant with an open circuit, as the end of a sentence. */
export const CIRCUIT_WORDS: Readonly<Record<string, string>> = {
  busy: 'is overloaded',
  traffic: 'has no traffic balance left',
  unreachable: 'cannot be reached',
};

/** Whether a pause is an open circuit, which no person has made. */
export const isCircuit = ({ mode }: Pause): boolean => CIRCUIT_WORDS[mode] !== undefined;

/** Returns the name of a pause: "Participant app-provider, paused". */
export function pauseName({ scope, name, mode }: Pause): string {
  const what = {
    participant: `Participant ${name}`,
    operation: operationName(name),
    provider: `Everything of ${partyName(name)}`,
  }[scope];
  return `${what ?? name}, ${mode === 'drain' ? 'drained' : 'paused'}`;
}

/** The dialog that removes a pause, so that the paused operations continue. */
export function ResumeDialog({
  pause,
  onClose,
}: {
  readonly pause: Pause;
  readonly onClose: () => void;
}) {
  const id = pause.id ?? '';
  return (
    <OnceDialog
      title={`Resume: ${pauseName(pause)}`}
      verb="Resume"
      url={`/ops/pauses/${id}:resume`}
      cli={`tenure ops resume ${id}`}
      isRepeatable
      onClose={onClose}
    >
      <p>
        Waiting operations continue at once
        {pause.held === undefined || pause.held === 0 ? '.' : `: ${pause.held} now.`}
      </p>
    </OnceDialog>
  );
}
