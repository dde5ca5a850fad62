import { signal } from '../signal.ts';

/** When the session ended that the last answer came from; false while there is one, as far as is known. */
export const sessionEnded = signal(false);

/** When this browser last used the session, in milliseconds since the epoch: a session that is not used ends. */
export const sessionUsedAtMs = signal(Date.now());
