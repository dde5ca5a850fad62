import { OnceDialog } from '../../acts/once-dialog.tsx';
import type { components } from '../../../../client/schema.ts';
import * as t from '../../texts/desk.tsx';

export type Timer = components['schemas']['Timer'];

/** The dialog that restarts a timer which Tenure has given up. */
export function RearmDialog({
  timer: { lifecycleId },
  onClose,
}: {
  readonly timer: Timer;
  readonly onClose: () => void;
}) {
  return (
    <OnceDialog
      title={t.restartThisTimer}
      verb={t.restart}
      url={`/ops/timers/${lifecycleId}:rearm`}
      cli={`tenure ops rearm ${lifecycleId}`}
      isRepeatable
      onClose={onClose}
    >
      <p>{t.ifItsPolicyIsOnThe}</p>
    </OnceDialog>
  );
}
