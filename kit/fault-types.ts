import type { ParticipantName } from '../localnet/ports.ts';

/*
 * Faults that can be requested, as plain types. faults.ts makes sure at compile time that they match the schemas with
 * which faults are validated.
 */

/** Restricts a fault. All given fields must match. `*` in a pattern stands for any characters. */
export interface Where {
  readonly participant?: ParticipantName;
  /** Pattern of the method: `Submit`, `CommandSubmissionService/Submit` or the whole path. */
  readonly method?: string;
  /** Pattern of the ledger user. */
  readonly user?: string;
  /** Pattern of a party. One of the parties must match. */
  readonly party?: string;
  /** Pattern of the command ID. */
  readonly commandId?: string;
}

/** Fields of faults that are lasting conditions. */
interface Lasting {
  readonly where?: Where;
  /** The fault ends after this many seconds. */
  readonly seconds?: number;
}

/** Fields of faults that are applied to individual calls or elements, possibly at random. */
interface Striking extends Lasting {
  /** How many matches are skipped first. */
  readonly skip?: number;
  /** The maximum number of matches to which the fault is applied. */
  readonly times?: number;
  /** The share of the matches to which the fault is applied, from 0 to 1. */
  readonly chance?: number;
  /** Seed of the random choices, which makes them repeatable. */
  readonly seed?: string;
}

type How = 'unavailable' | 'reset' | 'silence';
type CutHow = 'unavailable' | 'reset' | 'end';
/** One or several error codes of a participant. If there are several, one is chosen at random. */
type Codes = string | string[];

interface Wait {
  readonly ms: number;
  /** If present, the duration is random, between `ms` and this. */
  readonly msMax?: number;
}

/** The fields of each kind of fault, in addition to the common fields. */
interface StrikingKinds {
  /** A call is lost before anything happens. */
  readonly 'drop-before': { readonly how?: How };
  /** A unary call has its effect, and its answer is lost. */
  readonly 'drop-after': { readonly how?: How; readonly code?: Codes };
  /** A unary call begins late, or its answer is sent late. */
  readonly delay: Wait & { readonly at?: 'before' | 'after' };
  /** The request of a submission arrives twice. The caller gets the second answer. */
  readonly repeat: unknown;
  /** A call is refused at once, and nothing happens. */
  readonly error: { readonly code: Codes };
  /** A submission is accepted, and rejected by its completion. */
  readonly reject: { readonly code: Codes };
  /** A submission is accepted and never sequenced. */
  readonly lose: unknown;
  /** No stream delivers the completion while the fault lasts. */
  readonly withhold: unknown;
  /** Completions are delivered twice. */
  readonly duplicate: unknown;
  /** Completions are delivered after later ones, which a real participant never does. */
  readonly reorder: { readonly by?: number };
  /** Elements of streams are delayed, in order. */
  readonly 'slow-stream': Wait;
  /** Streams that are open at this moment end. */
  readonly cut: { readonly how?: CutHow; readonly code?: Codes; readonly everySeconds?: number };
  /** A stream ends before one of its elements. */
  readonly 'cut-at': {
    readonly how?: CutHow;
    readonly code?: Codes;
    readonly afterElements?: number;
  };
  /** Streams stay open and deliver nothing any more. */
  readonly silence: unknown;
  /** Calls and streams wait until the fault is over, and then continue. */
  readonly hold: unknown;
  /** Tokens count as expired. */
  readonly 'expire-tokens': { readonly which?: 'known' | 'all' };
  /** A participant stops and restarts with its data. */
  readonly restart: { readonly downMs?: number; readonly everySeconds?: number };
  /** A participant permanently prunes its past. */
  readonly prune: { readonly upTo?: string; readonly everySeconds?: number };
  /** An HTTP interface does not answer. */
  readonly away: {
    readonly surface: 'auth' | 'registry' | 'json' | 'validator';
    readonly how?: How;
  };
}

interface LastingKinds {
  /** Sets how long participants must remember commands, which is also their default deduplication period. */
  readonly 'deduplication-window': { readonly ms: number };
  /** The clock of a participant is wrong or, without a participant, the ledger's clock. */
  readonly skew: { readonly bySeconds: number };
  /** The verdict on a submission takes this long after its sequencing. */
  readonly 'slow-ledger': Wait;
  /** A participant sees no updates until the fault is over. It still answers, with its old state. */
  readonly behind: { readonly sends?: boolean };
  /** A participant accepts calls but reads none of them until the fault is over. */
  readonly stopped: unknown;
  /** A participant refuses connections until the fault is over. */
  readonly down: unknown;
}

type Of<Kinds, Common> = {
  [K in keyof Kinds]: { readonly kind: K } & Common & Kinds[K];
}[keyof Kinds];

/** A fault: its kind, to what it is restricted, and how often it is applied. */
export type Fault = Of<StrikingKinds, Striking> | Of<LastingKinds, Lasting>;

/** A request for faults of many kinds at once, which are computed from one seed. */
export interface FaultScript {
  readonly seed: string | number;
  readonly seconds: number;
  /** The share of calls and elements that are affected, by kind of fault. @default a small share for most kinds */
  readonly rates?: Readonly<Partial<Record<Fault['kind'], number>>>;
  readonly where?: Where;
}

export type FaultRequest = Fault | FaultScript;

/** A fault, with its state and counts. */
export type FaultStatus = Fault & {
  readonly id: string;
  /** ID of the script to which the fault belongs. */
  readonly script?: string;
  readonly state: 'active' | 'spent' | 'over';
  /** The number of calls, streams or completions that matched while the fault was active. */
  readonly matched: number;
  /** The number of matching ones to which the fault was applied. */
  readonly struck: number;
  /** Completions that a fault of kind `withhold` has kept back so far, each as `<participant>/<offset>`. */
  readonly withheld?: readonly string[];
};

/** The faults of a network. */
export interface Faults {
  /** Adds a fault or a script, which is active when the method returns. Returns the added faults. */
  add(fault: FaultRequest): readonly FaultStatus[];
  /** Returns all faults, including spent and ended ones. */
  list(): readonly FaultStatus[];
  get(id: string): FaultStatus | undefined;
  /**
   * Removes a fault, or all faults of a script, and releases what they have held back. Returns how many were removed.
   */
  remove(id: string): number;
  clear(): number;
}
