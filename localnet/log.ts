/** Receives one line of LocalNet's log, as fields. Only the log shows why a token was refused. */
export type Log = (line: Readonly<Record<string, unknown>>) => void;
