import type { ChangeId } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';
import { CHANGES_CHANNEL, unpackIds } from './channels.ts';
import type { Listener } from './listen.ts';
import { listen } from './listen.ts';

export interface ChangeListenerOptions {
  readonly url: string;
  /** These changes have an outcome now, or are in doubt. In whatever process that was written. */
  readonly onChanges: (ids: readonly ChangeId[]) => void;
  /** News may have been missed: whoever waits has to look. */
  readonly onGap: () => void;
  /** Told when the connection breaks or cannot be made, for the log. */
  readonly onBreak?: (error: Error) => void;
}

/** Hears of outcomes as soon as they are committed, for those who wait for them. */
export const startChangeListener = (options: ChangeListenerOptions): Listener =>
  listen({
    url: options.url,
    channel: CHANGES_CHANNEL,
    applicationName: 'tenure-changes',
    onMessage: (payload) =>
      options.onChanges(unpackIds(payload).map((id) => trusted<ChangeId>(id))),
    onGap: options.onGap,
    ...(options.onBreak === undefined ? {} : { onBreak: options.onBreak }),
  });
