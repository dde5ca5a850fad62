import type { ParticipantName } from '../localnet/ports.ts';

/* Faults that can be requested, as plain types. faults.ts keeps these types equal to the checks on reading. */

/** All given fields must match. `*` in a pattern stands for any characters. */
export interface Where {
  readonly participant?: ParticipantName;
  /** Pattern of `Submit`, `CommandSubmissionService/Submit` or the whole path. */
  readonly method?: string;
  /** Pattern of the ledger user. */
  readonly user?: string;
  /** Pattern; one of the parties must match. */
  readonly party?: string;
  /** Pattern of the command ID. */
  readonly commandId?: string;
}

/** Fields of faults that hold while they last. */
interface Lasting {
  readonly where?: Where;
  /** The fault ends after this many seconds. */
  readonly seconds?: number;
}

/** Fields of faults that strike individual calls or elements, or strike at random. */
interface Striking extends Lasting {
  /** Let this many matching ones pass first. */
  readonly skip?: number;
  /** Strike at most this often. */
  readonly times?: number;
  /** Strike this share of the matching ones, from 0 to 1. */
  readonly chance?: number;
  /** Seed that makes the random choices repeatable. */
  readonly seed?: string;
}

type How = 'unavailable' | 'reset' | 'silence';
type CutHow = 'unavailable' | 'reset' | 'end';
/** A participant's code, or several to draw from. */
type Codes = string | string[];

interface Wait {
  readonly ms: number;
  /** Draw between `ms` and this. */
  readonly msMax?: number;
}

/** The fields of each kind of fault, besides the common fields. */
interface StrikingKinds {
  /** A call is lost before anything happens. */
  readonly 'drop-before': { readonly how?: How };
  /** A unary call has its effect, and its answer is lost. */
  readonly 'drop-after': { readonly how?: How; readonly code?: Codes };
  /** A unary call begins late, or its answer leaves late. */
  readonly delay: Wait & { readonly at?: 'before' | 'after' };
  /** The request of a submission arrives twice; the second answer counts. */
  readonly repeat: unknown;
  /** A call is refused at once, and nothing happens. */
  readonly error: { readonly code: Codes };
  /** A submission is taken and rejected by its completion. */
  readonly reject: { readonly code: Codes };
  /** A submission is taken and never sequenced. */
  readonly lose: unknown;
  /** No stream delivers the completion while the fault lasts. */
  readonly withhold: unknown;
  /** Completions are delivered twice. */
  readonly duplicate: unknown;
  /** Completions are delivered after later ones, which a real participant never does. */
  readonly reorder: { readonly by?: number };
  /** Elements of streams are delayed, in order. */
  readonly 'slow-stream': Wait;
  /** Streams that are open now end. */
  readonly cut: { readonly how?: CutHow; readonly code?: Codes; readonly everySeconds?: number };
  /** A stream ends before one of its elements. */
  readonly 'cut-at': {
    readonly how?: CutHow;
    readonly code?: Codes;
    readonly afterElements?: number;
  };
  /** Streams stay open and deliver nothing more. */
  readonly silence: unknown;
  /** Calls and streams wait until the fault is over, and then continue. */
  readonly hold: unknown;
  /** Tokens count as expired. */
  readonly 'expire-tokens': { readonly which?: 'known' | 'all' };
  /** A participant stops and restarts with its data. */
  readonly restart: { readonly downMs?: number; readonly everySeconds?: number };
  /** A participant permanently prunes its past. */
  readonly prune: { readonly upTo?: string; readonly everySeconds?: number };
  /** An HTTP surface does not answer. */
  readonly away: {
    readonly surface: 'auth' | 'registry' | 'json' | 'validator';
    readonly how?: How;
  };
}

interface LastingKinds {
  /** How long participants must remember commands. It is also their default deduplication period. */
  readonly 'deduplication-window': { readonly ms: number };
  /** The clock of a participant is wrong; without a participant, the ledger's clock. */
  readonly skew: { readonly bySeconds: number };
  /** Time passes from sequencing to verdict. */
  readonly 'slow-ledger': Wait;
  /** A participant sees no updates until this is over; it still answers with its old state. */
  readonly behind: { readonly sends?: boolean };
  /** Until the fault is over, a participant accepts calls but reads none. */
  readonly stopped: unknown;
  /** Until the fault is over, a participant refuses connections. */
  readonly down: unknown;
}

type Of<Kinds, Common> = {
  [K in keyof Kinds]: { readonly kind: K } & Common & Kinds[K];
}[keyof Kinds];

/** A fault: its kind, its place, and its frequency. */
export type Fault = Of<StrikingKinds, Striking> | Of<LastingKinds, Lasting>;

/** Faults of many kinds at once, drawn from one seed. */
export interface FaultScript {
  readonly seed: string | number;
  readonly seconds: number;
  /** The share of calls and elements that are struck, by kind. @default a little of most kinds */
  readonly rates?: Readonly<Partial<Record<Fault['kind'], number>>>;
  readonly where?: Where;
}

export type FaultRequest = Fault | FaultScript;

/** A fault, with its state and counts. */
export type FaultStatus = Fault & {
  readonly id: string;
  /** ID of the script that the fault belongs to. */
  readonly script?: string;
  readonly state: 'active' | 'spent' | 'over';
  /** Matching calls, streams or completions while the fault was active. */
  readonly matched: number;
  /** How many of the matching ones the fault struck. */
  readonly struck: number;
  /** Completions that a withholding fault has kept back so far: `<participant>/<offset>` each. */
  readonly withheld?: readonly string[];
};

/** The faults of a network. */
export interface Faults {
  /** Adds a fault or a script, in force when the method returns. Returns the added faults. */
  add(fault: FaultRequest): readonly FaultStatus[];
  /** All faults, including spent and ended ones. */
  list(): readonly FaultStatus[];
  get(id: string): FaultStatus | undefined;
  /** Removes a fault, or all faults of a script, and releases what they kept waiting. Returns how many there were. */
  remove(id: string): number;
  clear(): number;
}
