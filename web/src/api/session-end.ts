import { signal } from '../signal.ts';

/** Whether the session has ended. The value comes from the last answer. */
export const sessionEnded = signal(false);

/** When this browser last used the session, in milliseconds since the epoch. A session ends if it is not used. */
export const sessionUsedAtMs = signal(Date.now());
