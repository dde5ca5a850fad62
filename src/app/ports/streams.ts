import { trusted } from '../../domain/ids.ts';
import type { ParticipantName } from '../../domain/ids.ts';

export const UPDATES_STREAM = 'updates';

const COMPLETIONS = 'completions:';

export const completionsStream = (name: ParticipantName): string => `${COMPLETIONS}${name}`;

/** Whose completions a stream tells; `null` for the updates. */
export const participantOf = (stream: string): ParticipantName | null =>
  stream.startsWith(COMPLETIONS) ? trusted(stream.slice(COMPLETIONS.length)) : null;
