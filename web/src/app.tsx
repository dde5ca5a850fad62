import { useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useRead } from './api/use-read.ts';
import { sessionEnded } from './api/session-end.ts';
import { Busy, Fault } from './parts/states.tsx';
import { noteCaller } from './api/client.ts';
import { LoginPage, LoginRoute } from './pages/login.tsx';
import { PATHS } from './paths.ts';
import { Shell } from './shell/shell.tsx';
import login from './shell/login.module.css';

/** Shows the pages to a person who has signed in. Others see the sign-in, which returns to this page. */
export function App() {
  const caller = useRead('/user');
  const location = useRouterState({ select: (state) => state.location });
  const isKnown = caller.data !== undefined;
  const user = caller.data?.data;
  const isNobody = caller.error?.status === 401;
  useEffect(() => {
    if (user !== undefined) noteCaller(user);
  }, [user]);
  useEffect(() => {
    // The first request asks who has signed in. Its 401 does not mean that a session has ended.
    if (isNobody && !isKnown) sessionEnded.set(false);
  }, [isNobody, isKnown]);
  if (location.pathname === PATHS.login) return <LoginRoute />;
  if (caller.data !== undefined) {
    return <Shell caller={caller.data.data} readAtMs={caller.dataUpdatedAt} />;
  }
  if (isNobody) return <LoginPage returnTo={`/ui${location.href}`} />;
  if (caller.error !== null) {
    return (
      <main className={login.page}>
        <Fault error={caller.error} onRetry={() => void caller.refetch()} />
      </main>
    );
  }
  if (caller.failureReason?.status === 429) {
    return (
      <main className={login.page}>
        <Busy retryAfterS={caller.failureReason.retryAfterS} />
      </main>
    );
  }
  return <main className={login.page} aria-busy />;
}
