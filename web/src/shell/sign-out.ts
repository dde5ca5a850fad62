import { forgetEnded } from '../acts/command-store.ts';
import { forgetDrafts } from '../acts/use-command.ts';
import { write } from '../api/client.ts';

/** Ends the session here and at the authorization server, and loads the sign-in page. */
export async function signOut(): Promise<void> {
  forgetEnded();
  forgetDrafts();
  try {
    await write({ method: 'POST', url: '/logout' });
  } finally {
    location.assign('/ui/login');
  }
}
