import type { Json } from '../../domain/json.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/** A question that a process asks a participant at its start. */
export interface AskedOf {
  readonly participant: ParticipantName;
  /** Host and port: another address may belong to another participant. */
  readonly address: string;
  /** Identifies the asking user, because another user may have other rights there. Not a secret. */
  readonly askedAs: string;
  /** The name identifies the shape of the answer: another shape needs another name. */
  readonly question: string;
}

/** Last answers of participants. If a participant is unreachable, a process starts with these. */
export interface LastAnswers {
  /** Returns `null` if this was never answered. */
  recall(asked: AskedOf, io: Io): Promise<{ readonly answer: Json; readonly at: string } | null>;
  note(asked: AskedOf, answer: Json, io: Io): Promise<void>;
}
