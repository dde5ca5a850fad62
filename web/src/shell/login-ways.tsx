import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read } from '../api/client.ts';
import type { ProblemError } from '../api/problem.ts';
import { Button, buttonClass } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Fault, Loading } from '../parts/states.tsx';
import styles from './login.module.css';

interface Ways {
  readonly authMode: 'oauth2' | 'shared-secret';
  readonly links: readonly { readonly name: string; readonly url: string }[];
}

async function waysIn(signal: AbortSignal): Promise<Ways> {
  const { data: flags } = await read('/feature-flags', {}, signal);
  if (flags.authMode !== 'oauth2') return { authMode: flags.authMode, links: [] };
  const { data: links } = await read('/login-links', {}, signal);
  return { authMode: flags.authMode, links };
}

/** The form of the development mode, which needs only a name. */
function ByName({ returnTo }: { readonly returnTo: string | null }) {
  const [name, setName] = useState('');
  return (
    <form action="/login" method="post" className={styles.ways}>
      {returnTo === null ? null : <input type="hidden" name="returnTo" value={returnTo} />}
      <TextField
        label="Name"
        name="username"
        autoComplete="username"
        required
        autoFocus
        value={name}
        onChange={setName}
        hint="This deployment requires no password. It is for development only."
      />
      <Button look="primary" type="submit">
        Sign in
      </Button>
    </form>
  );
}

/**
 * The ways to sign in, for both modes. After the login the browser returns to `returnTo`; null: to the page that it
 * came from.
 */
export function LoginWays({ returnTo }: { readonly returnTo: string | null }) {
  const ways = useQuery<Ways, ProblemError>({
    queryKey: ['ways-in'],
    queryFn: ({ signal }) => waysIn(signal),
  });
  if (ways.error !== null) {
    return <Fault error={ways.error} onRetry={() => void ways.refetch()} />;
  }
  if (ways.data === undefined) return <Loading lines={2} />;
  if (ways.data.authMode === 'shared-secret') return <ByName returnTo={returnTo} />;
  return (
    <div className={styles.ways}>
      <p>
        Choose your organisation. Providers sell licences, and users buy them. You sign in at the
        page of your organisation; on LocalNet, it lists demo people and their password.
      </p>
      <ul className={styles.ways}>
        {ways.data.links.map(({ name, url }) => (
          <li key={url}>
            <a
              className={buttonClass('primary')}
              href={returnTo === null ? url : `${url}?returnTo=${encodeURIComponent(returnTo)}`}
            >
              Sign in at {name}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
