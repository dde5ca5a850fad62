import type { ParticipantName } from '../localnet/ports.ts';

/* Faults that can be requested, as plain types. faults.ts keeps these types equal to the checks on reading. */

/** All that is named must fit. `*` in a pattern stands for any characters. */
export interface Where {
  readonly participant?: ParticipantName;
  /** Pattern of `Submit`, `CommandSubmissionService/Submit` or the whole path. */
  readonly method?: string;
  /** Pattern of the ledger user. */
  readonly user?: string;
  /** Pattern; one of the parties must fit. */
  readonly party?: string;
  /** Pattern of the command ID. */
  readonly commandId?: string;
}

/** Fields of faults that hold while they last. */
interface Lasting {
  readonly where?: Where;
  /** Be over after that. */
  readonly seconds?: number;
}

/** Fields of faults that strike individual calls or elements, or strike at random. */
interface Striking extends Lasting {
  /** Let so many that fit pass first. */
  readonly skip?: number;
  /** Strike at most this often. */
  readonly times?: number;
  /** Strike this share of those that fit, from 0 to 1. */
  readonly chance?: number;
  /** Makes what is left to chance repeatable. */
  readonly seed?: string;
}

type How = 'unavailable' | 'reset' | 'silence';
type CutHow = 'unavailable' | 'reset' | 'end';
/** A code that a participant gives, or several to draw from. */
type Codes = string | string[];

interface Wait {
  readonly ms: number;
  /** Draw from `ms` to this. */
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
  /** Completions that no stream delivers while this lasts. */
  readonly withhold: unknown;
  /** Completions come twice. */
  readonly duplicate: unknown;
  /** Completions come after later ones, which no participant does. */
  readonly reorder: { readonly by?: number };
  /** Elements of streams leave late, in order. */
  readonly 'slow-stream': Wait;
  /** Streams that are open now end. */
  readonly cut: { readonly how?: CutHow; readonly code?: Codes; readonly everySeconds?: number };
  /** A stream ends before one of its elements. */
  readonly 'cut-at': {
    readonly how?: CutHow;
    readonly code?: Codes;
    readonly afterElements?: number;
  };
  /** Streams stay open and never say anything again. */
  readonly silence: unknown;
  /** Calls and streams wait until this is over, and then go on. */
  readonly hold: unknown;
  /** Tokens count as expired. */
  readonly 'expire-tokens': { readonly which?: 'known' | 'all' };
  /** A participant goes down and comes back with what it has. */
  readonly restart: { readonly downMs?: number; readonly everySeconds?: number };
  /** A participant forgets its past, for good. */
  readonly prune: { readonly upTo?: string; readonly everySeconds?: number };
  /** An HTTP surface does not answer. */
  readonly away: {
    readonly surface: 'auth' | 'registry' | 'json' | 'validator';
    readonly how?: How;
  };
}

interface LastingKinds {
  /** How long participants must remember commands, and do if not told otherwise. */
  readonly 'deduplication-window': { readonly ms: number };
  /** The clock of a participant, or of the ledger if none is named, is wrong. */
  readonly skew: { readonly bySeconds: number };
  /** Time passes from sequencing to verdict. */
  readonly 'slow-ledger': Wait;
  /** A participant sees no updates until this is over; it still answers with its old state. */
  readonly behind: { readonly sends?: boolean };
  /** A participant takes calls and reads none of them until this is over. */
  readonly stopped: unknown;
  /** A participant refuses connections until this is over. */
  readonly down: unknown;
}

type Of<Kinds, Common> = {
  [K in keyof Kinds]: { readonly kind: K } & Common & Kinds[K];
}[keyof Kinds];

/** Something that goes wrong: what, where, and how often. */
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

/** A fault and how it is doing. */
export type FaultStatus = Fault & {
  readonly id: string;
  /** The script that it belongs to. */
  readonly script?: string;
  readonly state: 'active' | 'spent' | 'over';
  /** How many calls, streams or completions it fitted while it was active. */
  readonly matched: number;
  /** How many of them it struck. */
  readonly struck: number;
  /** Completions that a withholding fault has kept back so far: `<participant>/<offset>` each. */
  readonly withheld?: readonly string[];
};

/** The faults of a network. */
export interface Faults {
  /** In force when it returns. Gives the faults that were added: one, or all those of a script. */
  add(fault: FaultRequest): readonly FaultStatus[];
  /** All that there are, those that are spent or over too. */
  list(): readonly FaultStatus[];
  get(id: string): FaultStatus | undefined;
  /** Removes a fault, or all faults of a script, and releases what they kept waiting. Returns how many there were. */
  remove(id: string): number;
  clear(): number;
}
