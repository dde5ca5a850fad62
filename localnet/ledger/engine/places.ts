import { LedgerError } from '../ledger-error.ts';
import type { Expression } from './expression.ts';

/** A place in the source of a package. */
export interface Place {
  readonly module: string;
  /** A value, a template, or a choice after its template. */
  readonly definition: string;
  /** The line, which counts from 1. */
  readonly line: number;
}

/**
 * Receives a message of contract code. For a failed submission, receives the error, and the places of the code that
 * failed.
 */
export type Trace = (message: string, places?: readonly string[]) => void;

/** The number of expressions that are kept for each error and machine, and of machines. */
const KEPT_MAX = 64;
/** The number of lines of one trace. */
const LINES_MAX = 10;

interface Note {
  readonly expressions: Expression[];
  machines: number;
  /** The machine that has added expressions last. */
  by: object;
}

/** The expressions that were evaluated when an error was raised, innermost first. */
const notes = new WeakMap<object, Note>();

/**
 * Keeps the expressions that a machine was evaluating when an error was raised. Other machines may have added theirs
 * before. If the same machine raises the error again, its first expressions are kept.
 *
 * @param root the expression with which the machine began
 */
export function noteExpressions(
  error: object,
  by: object,
  root: Expression,
  running: () => Iterable<Expression>,
): void {
  const known = notes.get(error);
  if (known?.by === by) return;
  const note = known ?? { expressions: [], machines: 0, by };
  note.by = by;
  if (known === undefined) notes.set(error, note);
  if (note.machines >= KEPT_MAX) return;
  note.machines += 1;
  let left = KEPT_MAX;
  for (const expression of running()) {
    note.expressions.push(expression);
    left -= 1;
    if (left === 0) break;
  }
  note.expressions.push(root);
}

/**
 * Returns the places that were evaluated when an error was raised, innermost first, as far as the packages have
 * locations. If a place follows another one of the same definition, only the inner one is named.
 */
export function placesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const lines: string[] = [];
  let last: Place | undefined;
  for (const expression of expressionsOf(error)) {
    const place = expression.place?.();
    if (place === undefined) continue;
    const { module, definition, line } = place;
    if (last?.module === module && last.definition === definition) continue;
    last = place;
    if (lines.length === LINES_MAX) return [...lines, '...'];
    lines.push(`at ${definition} (${module}:${line})`);
  }
  return lines;
}

/** Returns the expressions of an error, or of the error that caused it. */
function expressionsOf(error: Error): readonly Expression[] {
  const own = notes.get(error)?.expressions ?? [];
  return error.cause instanceof Error ? [...expressionsOf(error.cause), ...own] : own;
}

/** Interprets a submission. If code of a package fails, passes on the places of the code. */
export function traced<T>(trace: Trace, interpret: () => T): T {
  try {
    return interpret();
  } catch (error) {
    const places = placesOf(error);
    if (error instanceof LedgerError && places.length > 0) {
      trace(`${error.code}: ${error.text}`, places);
    }
    throw error;
  }
}
