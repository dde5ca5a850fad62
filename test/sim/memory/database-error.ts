import { DatabaseUnreachableError } from '../../../src/store/sql/database-unreachable.ts';

/** An error of the database, with the code and the constraint that PostgreSQL would report. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly code: string;
  readonly constraint: string | undefined;
  constructor(code: string, message: string, constraint?: string) {
    super(message);
    this.code = code;
    this.constraint = constraint;
  }
}

export const uniqueViolation = (constraint: string): DatabaseError =>
  new DatabaseError('23505', `duplicate key value violates "${constraint}"`, constraint);

export const checkViolation = (constraint: string): DatabaseError =>
  new DatabaseError('23514', `new row violates "${constraint}"`, constraint);

export const foreignKeyViolation = (constraint: string): DatabaseError =>
  new DatabaseError('23503', `row violates foreign key "${constraint}"`, constraint);

export const rowsMissing = (table: string, count: number): DatabaseError =>
  new DatabaseError('TN001', `${count} ${table} rows could not be written`);

export const rowTwice = (table: string): DatabaseError =>
  new DatabaseError('21000', `one statement would write a row of ${table} twice`);

export const deadlock = (): DatabaseError => new DatabaseError('40P01', 'deadlock detected');

/** Returns the driver's error for a broken connection. */
export const connectionLost = (words: string): DatabaseUnreachableError =>
  new DatabaseUnreachableError(
    'connection-lost',
    { where: 'memory:0', host: 'memory', port: 0 },
    words,
  );
