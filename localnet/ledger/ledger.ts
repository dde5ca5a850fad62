import type { ParticipantName } from '../ports.ts';
import type { ParticipantApi } from './participant.ts';

/** The simulated ledger in process: three participants on one virtual synchronizer, one clock, one journal. */
export interface Ledger {
  readonly synchronizerId: string;
  readonly participants: Readonly<Record<ParticipantName, ParticipantApi>>;
  readonly parties: {
    readonly appProvider: string;
    readonly appUser: string;
    readonly dso: string;
  };
  /** Ledger time in microseconds. */
  nowMicros(): bigint;
  readonly isTimeStatic: boolean;
  /** Static time only; INVALID_ARGUMENT when earlier than now. Microseconds. */
  setTime(micros: bigint): void;
  /** Small texts that must outlive the process, such as signing keys. Written before it returns. */
  keep(name: string, text: string): void;
  kept(name: string): string | undefined;
  close(): Promise<void>;
}
