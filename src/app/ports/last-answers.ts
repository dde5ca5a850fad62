import type { Json } from '../../domain/json.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/** A question that a process asks a participant when it starts. */
export interface AskedOf {
  readonly participant: ParticipantName;
  /** Host and port: a participant at another address may be a different one. */
  readonly address: string;
  /** Identifies the user that asks, because another user may have other rights on the participant. Not a secret. */
  readonly askedAs: string;
  /** Name of the question and of the shape of its answer: if the shape changes, the name must change. */
  readonly question: string;
}

/** The last answers of participants. A process that starts while a participant is unreachable uses its last answers. */
export interface LastAnswers {
  /** Returns `null` if the participant never answered this question. */
  recall(asked: AskedOf, io: Io): Promise<{ readonly answer: Json; readonly at: string } | null>;
  note(asked: AskedOf, answer: Json, io: Io): Promise<void>;
}
