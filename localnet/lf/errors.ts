import { LedgerError } from '../ledger/ledger-error.ts';

/** The maximum length of a package's texts in errors, because texts of a malicious package may have any length. */
const SHOWN_CHARS_MAX = 100;
export const shown = (text: string): string => text.slice(0, SHOWN_CHARS_MAX);

/* Messages of protobuf's own reader. */
export const TRUNCATED =
  'While parsing a protocol message, the input ended unexpectedly in the middle of a field.  This could mean either that the input has been truncated or that an embedded message misreported its own length.';
export const TOO_DEEP =
  'Protocol message had too many levels of nesting.  May be malicious.  Use setRecursionLimit() in CodedInputStream to increase the recursion depth limit.';

/** Returns a DAR_PARSE_ERROR: the content does not have the right format. */
export const parseError = (reason: string): LedgerError =>
  new LedgerError('DAR_PARSE_ERROR', 'Failed to parse the dar file content.', {
    metadata: { reason },
  });

/** Returns a DAR_PARSE_ERROR for bytes that are not a protobuf message. */
export const wireError = (reason: string): LedgerError =>
  parseError(`IO error: com.google.protobuf.InvalidProtocolBufferException: ${reason}`);

/** Returns the error for a duplicate name. */
export const duplicateName = (): LedgerError => parseError('Unexpected PackageError Exception');

/** The text that a participant logs if a package is nested too deeply, and for which people search. */
const RECURSION = 'Recursion limit overflow in module';

/** Returns what is wrong with a DAR, for logs and people. The error contains it only in its context. */
function darDefect({ code, metadata }: LedgerError): string | null {
  if (code !== 'DAR_PARSE_ERROR' && code !== 'DAR_VALIDATION_ERROR') return null;
  const defect = metadata['reason'] ?? metadata['validationError'] ?? null;
  return defect?.includes(TOO_DEEP) === true ? `${RECURSION}: ${defect}` : defect;
}

/** Returns the error's own message, followed by what is wrong with the DAR. */
export const withDarDefect = (error: LedgerError): string => {
  const defect = darDefect(error);
  return defect === null ? error.message : `${error.message} ${defect}`;
};

/** Returns a DAR_VALIDATION_ERROR: the content can be read but is invalid. */
export const validationError = (problem: string, where = ''): LedgerError =>
  new LedgerError('DAR_VALIDATION_ERROR', 'Package validation failed.', {
    metadata: { validationError: `validation error${where}: ${problem}` },
  });
