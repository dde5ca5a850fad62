import type { TestApi } from './http-api.ts';
import { IO, PROVIDER } from './http-api.ts';

/** Opens a session without a login. */
export const sessionOf = (api: TestApi, subject = 'somebody'): Promise<string> =>
  api.deps.sessions.open(
    {
      tenantId: 'AppProvider',
      isInternal: true,
      party: PROVIDER,
      roles: new Set(['provider']),
      subject,
      name: 'somebody',
      login: null,
    },
    IO,
  );

/** Opens a new session of the person, and returns its public ID. */
export async function publicIdOf(api: TestApi, subject: string): Promise<string> {
  await sessionOf(api, subject);
  const [listed] = await api.deps.sessions.list({ party: PROVIDER, subject }, { limit: 1 }, IO);
  return listed?.publicId ?? '';
}
