import { LedgerError } from '../ledger/ledger-error.ts';

/** Texts of a hostile package may have any length, so errors cut them. */
const SHOWN_CHARS_MAX = 100;
export const shown = (text: string): string => text.slice(0, SHOWN_CHARS_MAX);

/* Messages of protobuf's own reader. */
export const TRUNCATED =
  'While parsing a protocol message, the input ended unexpectedly in the middle of a field.  This could mean either that the input has been truncated or that an embedded message misreported its own length.';
export const TOO_DEEP =
  'Protocol message had too many levels of nesting.  May be malicious.  Use setRecursionLimit() in CodedInputStream to increase the recursion depth limit.';

/** DAR_PARSE_ERROR: the content does not match its format. */
export const parseError = (reason: string): LedgerError =>
  new LedgerError('DAR_PARSE_ERROR', 'Failed to parse the dar file content.', {
    metadata: { reason },
  });

/** DAR_PARSE_ERROR for bytes that are no message at all. */
export const wireError = (reason: string): LedgerError =>
  parseError(`IO error: com.google.protobuf.InvalidProtocolBufferException: ${reason}`);

/** A duplicate name. */
export const duplicateName = (): LedgerError => parseError('Unexpected PackageError Exception');

/** The text that people look for in a participant's log when a package is nested too deeply. */
const RECURSION = 'Recursion limit overflow in module';

/** The defect of a DAR, for logs and people. Callers find it only in the error's context. */
function darDefect({ code, metadata }: LedgerError): string | null {
  if (code !== 'DAR_PARSE_ERROR' && code !== 'DAR_VALIDATION_ERROR') return null;
  const defect = metadata['reason'] ?? metadata['validationError'] ?? null;
  return defect?.includes(TOO_DEEP) === true ? `${RECURSION}: ${defect}` : defect;
}

/** Returns the error's own message, followed by the defect. */
export const withDarDefect = (error: LedgerError): string => {
  const defect = darDefect(error);
  return defect === null ? error.message : `${error.message} ${defect}`;
};

/** DAR_VALIDATION_ERROR: the content is readable and invalid. */
export const validationError = (problem: string, where = ''): LedgerError =>
  new LedgerError('DAR_VALIDATION_ERROR', 'Package validation failed.', {
    metadata: { validationError: `validation error${where}: ${problem}` },
  });
