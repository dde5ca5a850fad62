/** Receives one line of LocalNet's log, as fields. Only the log contains a refused token's defect. */
export type Log = (line: Readonly<Record<string, unknown>>) => void;
