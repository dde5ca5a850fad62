import { trusted } from '../../domain/ids.ts';
import type { ParticipantName } from '../../domain/ids.ts';

export const UPDATES_STREAM = 'updates';

/** Stands before the name of the participant whose completions a stream tells. */
export const COMPLETIONS = 'completions:';

export const completionsStream = (name: ParticipantName): string => `${COMPLETIONS}${name}`;

/** Whose completions a stream tells; `null` for the updates. */
export const participantOf = (stream: string): ParticipantName | null =>
  stream.startsWith(COMPLETIONS) ? trusted(stream.slice(COMPLETIONS.length)) : null;

/** Whether the ledger is still to tell what a participant's submissions came to. @param replaying names of streams */
export const isReadAgain = (
  replaying: ReadonlySet<string>,
  participant: ParticipantName,
): boolean => replaying.has(UPDATES_STREAM) || replaying.has(completionsStream(participant));

/**
 * When a stream that ended is worth opening again.
 *
 * - `now`: it ended for a reason that a new one does not have, such as a token that ran out.
 * - `away`: soon, because there was no connection to ask for it over, and another try costs the participant nothing.
 * - `backoff`: after a while; the participant is busy.
 * - `person`: rarely, because a person has to change something first.
 */
export type StreamRetry = 'now' | 'away' | 'backoff' | 'person';
