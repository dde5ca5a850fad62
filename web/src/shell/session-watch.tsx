import { useQueryClient } from '@tanstack/react-query';
import { sessionEnded, sessionUsedAtMs } from '../api/session-end.ts';
import { Button } from '../parts/button.tsx';
import { Dialog, DialogFoot } from '../parts/dialog.tsx';
import { useSignal } from '../signal.ts';
import { Time, useNowMs } from '../parts/time.tsx';
import { useCaller } from '../api/caller.tsx';
import { LoginWays } from './login-ways.tsx';

/** A person is told this long before a session ends. */
const WARN_MS = 2 * 60_000;

interface SessionTimes {
  readonly endsAt: string;
  readonly idleEndsAt: string;
}

/** When the session ends if nothing is done: never after its greatest age. */
function endOf(session: SessionTimes, readAtMs: number, usedAtMs: number): number {
  const idleMs = Date.parse(session.idleEndsAt) - readAtMs;
  return Math.min(Date.parse(session.endsAt), usedAtMs + idleMs);
}

/** Says that the session is about to end, and that it has ended. What is on the page stays. */
export function SessionWatch({ readAtMs }: { readonly readAtMs: number }) {
  const { session } = useCaller() as { readonly session?: SessionTimes | null };
  const hasEnded = useSignal(sessionEnded);
  const usedAtMs = useSignal(sessionUsedAtMs);
  const client = useQueryClient();
  const nowMs = useNowMs();
  if (hasEnded) {
    return (
      <Dialog title="Your session ended" onClose={() => {}}>
        <p>Sign in again. You come back to this page, and what you have sent goes on.</p>
        <LoginWays returnTo={`${location.pathname}${location.search}`} />
      </Dialog>
    );
  }
  if (session === null || session === undefined) return null;
  const endMs = endOf(session, readAtMs, usedAtMs);
  if (endMs - nowMs > WARN_MS) return null;
  const isFinal = endMs >= Date.parse(session.endsAt);
  return (
    <Dialog title="Your session is about to end" onClose={() => sessionUsedAtMs.set(Date.now())}>
      <p>
        It ends <Time at={new Date(endMs).toISOString()} />.{' '}
        {isFinal ? 'It has reached its greatest age: sign in again soon.' : ''}
      </p>
      <DialogFoot>
        <Button
          look="primary"
          onClick={() => void client.invalidateQueries({ queryKey: ['/user'] })}
        >
          Stay signed in
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
