import { trusted } from '../../domain/ids.ts';
import type { ParticipantName } from '../../domain/ids.ts';

export const UPDATES_STREAM = 'updates';

/** Prefix of the name of a completion stream, before the name of its participant. */
export const COMPLETIONS = 'completions:';

export const completionsStream = (name: ParticipantName): string => `${COMPLETIONS}${name}`;

/** Returns the participant of a completion stream; `null` for the updates. */
export const participantOf = (stream: string): ParticipantName | null =>
  stream.startsWith(COMPLETIONS) ? trusted(stream.slice(COMPLETIONS.length)) : null;

/**
 * Returns whether the replay may still deliver outcomes of a participant's submissions. @param replaying names of
 * streams
 */
export const isReadAgain = (
  replaying: ReadonlySet<string>,
  participant: ParticipantName,
): boolean => replaying.has(UPDATES_STREAM) || replaying.has(completionsStream(participant));

/**
 * When to reopen a stream that ended.
 *
 * - `now`: it ended for a reason that a new one does not have, such as an expired token.
 * - `away`: soon, because there was no connection, and another attempt costs the participant nothing.
 * - `backoff`: after a while; the participant is busy.
 * - `person`: rarely, because a person has to change something first.
 */
export type StreamRetry = 'now' | 'away' | 'backoff' | 'person';
