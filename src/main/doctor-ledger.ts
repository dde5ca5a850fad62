import type { LedgerSource } from '../doctor/evidence-source.ts';
import type { LedgerTime } from '../doctor/judge-clocks.ts';
import type { ParticipantState } from '../doctor/judge.ts';
import type { Party } from '../domain/ids.ts';
import { templateFqn } from '../domain/ledger.ts';
import type { Participant } from '../ledger/channel.ts';
import type { Wanted } from '../ledger/formats.ts';
import { createLedgerHistory } from '../ledger/history.ts';
import type { ParticipantRights } from '../ledger/rights.ts';
import { PROVIDER } from './ledger-side.ts';
import { MAIN_LIMITS } from './limits.ts';

/* The participants as the doctor has found them, and a source that reads their records. */

/** What the examination found out about one participant. `rights` is `null` if the participant did not answer. */
export interface ParticipantLook {
  readonly participant: Participant;
  readonly rights: ParticipantRights | null;
  readonly isTimeStatic: boolean;
  readonly state: ParticipantState;
}

/** What the examination found out about the ledger. */
export interface LedgerLook {
  readonly participants: readonly ParticipantState[];
  readonly looks: readonly ParticipantLook[];
  readonly provider: Party | null;
  /** The templates and interfaces to read; `null` if updates cannot be read. */
  readonly wanted: Wanted | null;
  /** Resolves with the time that the ledger reports. */
  readonly time: Promise<LedgerTime | null>;
  readonly isTimeStatic: boolean;
}

/** Returns the participants that have answered. */
export const participantsOf = (looks: readonly ParticipantLook[]): Participant[] =>
  looks.flatMap(({ participant, rights }) => (rights === null ? [] : [participant]));

/**
 * Returns a source that reads the participants that have answered; `null` if the projected participant did not answer.
 */
export function sourceOf({ looks, wanted }: LedgerLook, provider: Party): LedgerSource | null {
  const there = looks.flatMap(({ participant, rights }) =>
    rights === null ? [] : [{ participant, rights }],
  );
  if (wanted === null) return null;
  const history = createLedgerHistory({
    participants: there.map(({ participant }) => participant),
    projected: PROVIDER,
    readAs: [provider],
    wanted,
    rightsOf: (name) => {
      const found = there.find(({ participant }) => participant.name === name);
      if (found === undefined) throw new Error(`participant ${name} cannot be queried`);
      return found.rights;
    },
    quietMs: MAIN_LIMITS.doctorQuietMs,
  });
  return {
    ...history,
    participants: there.map(({ participant }) => participant.name),
    types: [...wanted.templates, ...wanted.interfaces].map(templateFqn),
  };
}
