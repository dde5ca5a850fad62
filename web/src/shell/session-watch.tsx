import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { sessionEnded, sessionUsedAtMs } from '../api/session-end.ts';
import { Button } from '../parts/button.tsx';
import { Dialog, DialogFoot } from '../parts/dialog.tsx';
import { useSignal } from '../signal.ts';
import { Time, useNowMs } from '../parts/time.tsx';
import { useCaller } from '../api/caller.tsx';
import { LoginWays } from './login-ways.tsx';

/** How long before the end of a session the person is warned. */
const WARN_MS = 2 * 60_000;

interface SessionTimes {
  readonly endsAt: string;
  readonly idleEndsAt: string;
}

/** Returns when the session ends if the person does nothing. It ends at `endsAt` at the latest. */
function endOf(session: SessionTimes, readAtMs: number, usedAtMs: number): number {
  const idleMs = Date.parse(session.idleEndsAt) - readAtMs;
  return Math.min(Date.parse(session.endsAt), usedAtMs + idleMs);
}

interface SoonProps {
  readonly endMs: number;
  /** Whether activity can no longer extend the session. */
  readonly isFinal: boolean;
  readonly onClose: () => void;
}

function EndsSoon({ endMs, isFinal, onClose }: SoonProps) {
  const client = useQueryClient();
  const isOver = useNowMs() >= endMs;
  useEffect(() => {
    // Another tab may have extended the session, so the server is asked.
    if (isOver) void client.invalidateQueries({ queryKey: ['/user'] });
  }, [client, isOver]);
  const end = <Time at={new Date(endMs).toISOString()} />;
  if (isFinal) {
    return (
      <Dialog title="Your session is about to end" onClose={onClose}>
        <p>
          It ends {end} because it reaches its maximum duration. Sign in again now, or continue
          until then. You return to this page.
        </p>
        <LoginWays returnTo={`${location.pathname}${location.search}`} />
        <DialogFoot>
          <Button onClick={onClose}>Not yet</Button>
        </DialogFoot>
      </Dialog>
    );
  }
  return (
    <Dialog title="Your session is about to end" onClose={onClose}>
      <p>It ends {end} because it has been idle.</p>
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

/** Warns that the session is about to end, and says when it has ended. The page stays visible behind the warning. */
export function SessionWatch({ readAtMs }: { readonly readAtMs: number }) {
  const { session } = useCaller() as { readonly session?: SessionTimes | null };
  const hasEnded = useSignal(sessionEnded);
  const usedAtMs = useSignal(sessionUsedAtMs);
  const [closedMs, setClosed] = useState<number | null>(null);
  const nowMs = useNowMs();
  if (hasEnded) {
    return (
      <Dialog title="Your session ended">
        <p>Sign in again. You return to this page. Everything that you have sent continues.</p>
        <LoginWays returnTo={`${location.pathname}${location.search}`} />
      </Dialog>
    );
  }
  if (session === null || session === undefined) return null;
  const endMs = endOf(session, readAtMs, usedAtMs);
  // A closed warning stays closed until the session has ended.
  if (endMs - nowMs > WARN_MS || (closedMs === endMs && nowMs < endMs)) return null;
  const isFinal = endMs >= Date.parse(session.endsAt);
  return <EndsSoon endMs={endMs} isFinal={isFinal} onClose={() => setClosed(endMs)} />;
}
