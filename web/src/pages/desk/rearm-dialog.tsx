import { OnceDialog } from '../../acts/once-dialog.tsx';
import type { components } from '../../../../client/schema.ts';

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
      title="Restart this timer"
      verb="Restart"
      url={`/ops/timers/${lifecycleId}:rearm`}
      cli={`tenure ops rearm ${lifecycleId}`}
      isRepeatable
      onClose={onClose}
    >
      <p>If its policy is on, the policy starts again at once, with the full number of attempts.</p>
    </OnceDialog>
  );
}
