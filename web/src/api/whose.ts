import type { components } from './schema.ts';

/*
 * Whose page this is. Cookies are the browser's, and another tab may have signed in as another person since: what this
 * page sends would be done by them. The CSRF token is of its session, so that another token tells of another session.
 */

type User = Pick<components['schemas']['AuthenticatedUser'], 'party' | 'name'>;

/** Cookie and header names are the API's: see src/http/kit/csrf.ts. */
export const csrfToken = (): string | undefined =>
  /(?:^|;\s*)XSRF-TOKEN=([^;]*)/u.exec(document.cookie)?.[1];

let known: { readonly user: User; readonly token: string | undefined } | null = null;

/** The page is this person's, with the session of the moment. */
export function noteCaller(user: User): void {
  known = { user, token: csrfToken() };
}

export const isSameSession = (): boolean => known === null || known.token === csrfToken();

/**
 * Asks whose session it is. The answer brings the session's token along. The page is loaded anew where it is another
 * person's by now.
 *
 * @throws Error when it is; nothing may be sent then
 */
export async function lookWhose(): Promise<void> {
  const answer = await fetch('/user', {
    credentials: 'same-origin',
    headers: { accept: 'application/json' },
  });
  // Whatever is sent is refused then as well, and says why.
  if (!answer.ok || known === null) return;
  const user = (await answer.json()) as User;
  if (user.party !== known.user.party || user.name !== known.user.name) {
    location.reload();
    throw new Error('Another person has signed in.');
  }
  noteCaller(user);
}
