/** Receives one line of LocalNet's log, as fields. Why a token was refused is shown only in the log. */
export type Log = (line: Readonly<Record<string, unknown>>) => void;
