import * as t from '../texts/acts.tsx';
import { OnceDialog } from './once-dialog.tsx';
import type { components } from '../../../client/schema.ts';
import { partyName } from '../parts/copy.tsx';
import { operationName } from '../parts/words.ts';

export type Pause = components['schemas']['Pause'];

/** Reasons for which nothing is sent to a participant with an open circuit, as the end of a sentence. */
export const CIRCUIT_WORDS: Readonly<Record<string, string>> = {
  busy: t.isOverloaded,
  traffic: t.hasNoTrafficBalanceLeft,
  unreachable: t.cannotBeReached,
};

/** Whether a pause is an open circuit, which no person has made. */
export const isCircuit = ({ mode }: Pause): boolean => CIRCUIT_WORDS[mode] !== undefined;

/** Returns what is paused: "Participant app-provider". */
export const pausedThing = ({ scope, name }: Pause): string =>
  ({
    participant: t.participant(name),
    operation: operationName(name),
    provider: t.everythingOf(partyName(name)),
  })[scope] ?? name;

/** Returns the name of a pause: "Participant app-provider, paused". */
export const pauseName = (pause: Pause): string =>
  (pause.mode === 'drain' ? t.drained : t.paused)(pausedThing(pause));

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
      title={t.resumeOf(pauseName(pause))}
      verb={t.resume}
      url={`/ops/pauses/${id}:resume`}
      cli={`tenure ops resume ${id}`}
      isRepeatable
      onClose={onClose}
    >
      <p>{t.waitingOperationsContinue(pause.held ?? 0)}</p>
    </OnceDialog>
  );
}
