import { useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { PATHS } from '../paths.ts';
import { LoginWays } from '../shell/login-ways.tsx';
import styles from '../shell/login.module.css';

/** The page on which a person signs in. */
export function LoginPage({ returnTo }: { readonly returnTo: string | null }) {
  const { error } = useSearch({ strict: false });
  useEffect(() => {
    document.title = 'Sign in · Tenure';
  }, []);
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1 className={styles.brand}>
          <img src="/ui/icon.svg" alt="" width="32" height="32" />
          Tenure
        </h1>
        {error === undefined ? (
          <p className={styles.lead}>
            Software licences on a ledger, for users, providers and operators.
          </p>
        ) : (
          <p className={styles.failed} role="alert">
            Signing in failed. Try again. If it fails again, ask the operator: the log says why.
          </p>
        )}
        <LoginWays returnTo={returnTo} />
      </div>
    </main>
  );
}

/**
 * The page `/login`. After the login it redirects to the address in `returnTo` or, without one, to the page where the
 * login began.
 */
export function LoginRoute() {
  const { returnTo } = useSearch({ from: PATHS.login });
  return <LoginPage returnTo={returnTo ?? null} />;
}
