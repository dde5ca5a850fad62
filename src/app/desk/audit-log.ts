import type { Change } from '../../domain/change.ts';
import type { OpsScope } from '../ports/ops-scope.ts';
import type { Io } from '../ports/io.ts';
import type { AuditEntry } from '../ports/writes.ts';
import type { Order } from '../ports/views.ts';

/** Position in a list of acts. */
export interface AuditPosition {
  /** ISO 8601. */
  readonly at: string;
  readonly id: bigint;
}

export interface AuditQuery {
  readonly scope: OpsScope;
  /** The subject that acted. */
  readonly by?: string;
  readonly act?: string;
  /** The ID of a change, or the name of another object: see `AuditEntry.subject`. */
  readonly object?: string;
  /** Acts at or after the first time, and before the second; ISO 8601. */
  readonly since?: string;
  readonly until?: string;
  /** The newest first by default. */
  readonly order?: Order;
  readonly after?: AuditPosition;
  readonly limit: number;
}

/** An act, with the change on which it was done. */
export interface LoggedAct {
  readonly id: bigint;
  readonly entry: AuditEntry;
  readonly change: Pick<Change, 'id' | 'commandId' | 'operation' | 'lifecycleId'> | null;
}

/**
 * Acts of persons, as far as an operator can see them: acts on changes that the operator sees, bulk acts of the
 * operator's party, and all other acts of that party's people.
 */
export interface AuditLog {
  /** Lists acts ordered by time. @throws ProblemError `SEARCH_TOO_BROAD` */
  list(query: AuditQuery, io: Io): Promise<readonly LoggedAct[]>;
}
