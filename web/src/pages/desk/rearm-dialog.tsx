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
      title="Set this timer going again"
      verb="Rearm"
      url={`/ops/timers/${lifecycleId}:rearm`}
      cli={`tenure ops rearm ${lifecycleId}`}
      isRepeatable
      onClose={onClose}
    >
      <p>
        Its policy, if it is on, asks anew for what the timer is for, at once and with as many
        failures before it as at first.
      </p>
    </OnceDialog>
  );
}
