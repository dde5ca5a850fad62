/** Takes one line of LocalNet's log, as fields. It is the only place where a refused token's defect is told. */
export type Log = (line: Readonly<Record<string, unknown>>) => void;
