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
 * streams that are being replayed
 */
export const isReadAgain = (
  replaying: ReadonlySet<string>,
  participant: ParticipantName,
): boolean => replaying.has(UPDATES_STREAM) || replaying.has(completionsStream(participant));

/**
 * When to reopen a stream that ended.
 *
 * - `now`: at once; the reason does not affect a new stream, for example an expired token.
 * - `away`: soon; there was no connection, and another try costs the participant nothing.
 * - `backoff`: after a growing delay; the participant is busy.
 * - `person`: rarely; a person has to change something first.
 */
export type StreamRetry = 'now' | 'away' | 'backoff' | 'person';
