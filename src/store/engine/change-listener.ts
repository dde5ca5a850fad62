import type { ChangeId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { CHANGES_CHANNEL, unpackIds } from '../sql/channels.ts';
import type { Listener } from '../sql/listen.ts';

export interface ChangeEar {
  /** Called when these changes have an outcome or are in doubt, whichever process has written it. */
  readonly onChanges: (ids: readonly ChangeId[]) => void;
  /** Called when notifications may have been missed, so that every waiting caller must read again. */
  readonly onGap: () => void;
}

/** Reports outcomes to waiting callers as soon as they are committed. @returns a function that unsubscribes */
export const hearChanges = (listener: Listener, { onChanges, onGap }: ChangeEar): (() => void) =>
  listener.on(CHANGES_CHANNEL, {
    onMessage: (payload) => onChanges(unpackIds(payload).map((id) => trusted<ChangeId>(id))),
    onGap,
  });
