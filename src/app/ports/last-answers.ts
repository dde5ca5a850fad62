import type { Json } from '../../domain/json.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/** One thing that a process asks of a participant when it starts. */
export interface AskedOf {
  readonly participant: ParticipantName;
  /** Host and port: behind another address there may be another participant. */
  readonly address: string;
  /** Tells those apart who ask: another one may do other things there. Nothing secret. */
  readonly askedAs: string;
  /** Its name says the shape of its answers: another shape takes another name. */
  readonly question: string;
}

/** What participants answered last: while one of them is away, a process starts with that. */
export interface LastAnswers {
  /** `null`: it never answered this. */
  recall(asked: AskedOf, io: Io): Promise<{ readonly answer: Json; readonly at: string } | null>;
  note(asked: AskedOf, answer: Json, io: Io): Promise<void>;
}
