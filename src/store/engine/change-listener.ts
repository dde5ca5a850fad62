import type { ChangeId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { CHANGES_CHANNEL, unpackIds } from '../sql/channels.ts';
import type { Listener } from '../sql/listen.ts';

export interface ChangeEar {
  /** These changes have an outcome now, or are in doubt. In whatever process that was written. */
  readonly onChanges: (ids: readonly ChangeId[]) => void;
  /** News may have been missed: whoever waits has to look. */
  readonly onGap: () => void;
}

/** Hears of outcomes as soon as they are committed, for those who wait for them. @returns what ends it */
export const hearChanges = (listener: Listener, { onChanges, onGap }: ChangeEar): (() => void) =>
  listener.on(CHANGES_CHANNEL, {
    onMessage: (payload) => onChanges(unpackIds(payload).map((id) => trusted<ChangeId>(id))),
    onGap,
  });
