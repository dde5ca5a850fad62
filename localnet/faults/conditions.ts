import type { ParticipantName } from '../ports.ts';
import type { Fault } from './fault.ts';
import { isTargetFit } from './matching.ts';
import type { FaultRegistry } from './registry.ts';
import type { FaultKind, FaultRuleOf, Surface } from './rules.ts';

/** The failure that a caller of an HTTP interface gets instead of an answer. */
export type HttpFate = 'unavailable' | 'reset' | 'silence';

/**
 * Whether a fault keeps a participant behind its synchronizer and, if so, whether the participant can still send
 * messages to it.
 */
export type Behind = 'no' | 'sending' | 'cut-off';

/** A verified token. While the token is cached, the same object represents it in every call. */
interface Token {
  readonly userId: string;
}

const MICROS_PER_SECOND = 1_000_000;

/**
 * Conditions that last as long as their faults: expired tokens, shifted clocks, other deduplication windows, and
 * unreachable interfaces.
 */
export class Conditions {
  readonly #faults: FaultRegistry;
  /**
   * Tokens are numbered in order of first use, so that a fault can be restricted to tokens that were known when it
   * began.
   */
  readonly #tokens = new WeakMap<Token, number>();
  readonly #tokensBefore = new WeakMap<Fault, number>();
  readonly #down = new Set<ParticipantName>();
  #tokensSeen = 0;

  constructor(faults: FaultRegistry) {
    this.#faults = faults;
  }

  begin(fault: Fault): void {
    this.#tokensBefore.set(fault, this.#tokensSeen);
  }

  /** Returns whether a token counts as expired. Must be called for every token, so that the token becomes known. */
  isExpired(participant: ParticipantName, token: Token): boolean {
    const seen = this.#tokens.get(token) ?? this.#know(token);
    return this.#faults.of('expire-tokens').some((fault) => {
      const { where = {}, which = 'known' } = fault.rule;
      if (which === 'known' && seen > (this.#tokensBefore.get(fault) ?? 0)) return false;
      return isTargetFit(where, { participant, userId: token.userId }) && fault.strikes();
    });
  }

  /** Returns by how many microseconds a participant's clock is ahead of the ledger's. */
  skewMicros(participant: ParticipantName): bigint {
    return total(
      this.#faults.of('skew').filter(({ rule }) => rule.where?.participant === participant),
    );
  }

  /** Returns by how many microseconds the ledger's clock is ahead of wall time. */
  clockMicros(): bigint {
    return total(
      this.#faults.of('skew').filter(({ rule }) => rule.where?.participant === undefined),
    );
  }

  /** Returns the maximum deduplication duration that the most recent fault sets. */
  deduplicationMs(participant: ParticipantName): number | undefined {
    return this.#about('deduplication-window', participant).at(-1)?.rule.ms;
  }

  /**
   * Returns the time from sequencing to verdict in milliseconds, drawn at random for each call; `undefined` without
   * such a fault.
   */
  latencyMs(): number | undefined {
    const last = this.#faults.of('slow-ledger').at(-1);
    return last?.drawMs(last.rule);
  }

  /**
   * Returns whether a participant is kept behind its synchronizer and, if so, whether its messages still arrive there.
   */
  behind(participant: ParticipantName): Behind {
    const found = this.#about('behind', participant);
    if (found.length === 0) return 'no';
    return found.some(({ rule }) => rule.sends === false) ? 'cut-off' : 'sending';
  }

  /** Returns whether a fault stops a participant from reading calls. */
  isStopped(participant: ParticipantName): boolean {
    return this.#about('stopped', participant).length > 0;
  }

  /** Returns whether a fault keeps a participant down. */
  isKeptDown(participant: ParticipantName): boolean {
    return this.#about('down', participant).length > 0;
  }

  /** Marks a participant as down or up. A participant that is down answers no caller. */
  setDown(participant: ParticipantName, isDown: boolean): void {
    if (isDown) this.#down.add(participant);
    else this.#down.delete(participant);
  }

  /** Returns the failure that a request to an HTTP interface gets, or `undefined` if it is answered. */
  httpFate(surface: Surface, participant?: ParticipantName): HttpFate | undefined {
    if (participant !== undefined && this.#down.has(participant)) return 'reset';
    const found = this.#away(surface, participant).find((fault) => fault.strikes());
    return found === undefined ? undefined : (found.rule.how ?? 'unavailable');
  }

  /** Returns whether a fault prevents some or all requests to an HTTP interface from being answered. */
  isAway(surface: Surface, participant: ParticipantName): boolean {
    return this.#away(surface, participant).length > 0;
  }

  #away(surface: Surface, participant?: ParticipantName): Fault<FaultRuleOf<'away'>>[] {
    return this.#faults.of('away').filter(({ rule }) => {
      if (rule.surface !== surface) return false;
      const named = rule.where?.participant;
      return named === undefined || named === participant;
    });
  }

  #about<K extends FaultKind>(kind: K, participant: ParticipantName): Fault<FaultRuleOf<K>>[] {
    const target = { participant, userId: undefined };
    return this.#faults.of(kind).filter(({ rule }) => isTargetFit(rule.where ?? {}, target));
  }

  #know(token: Token): number {
    this.#tokensSeen += 1;
    this.#tokens.set(token, this.#tokensSeen);
    return this.#tokensSeen;
  }
}

const total = (faults: readonly Fault<FaultRuleOf<'skew'>>[]): bigint =>
  faults.reduce(
    (sum, { rule }) => sum + BigInt(Math.round(rule.bySeconds * MICROS_PER_SECOND)),
    0n,
  );
