/** The tone of a state, which determines its colour and icon. */
export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'info';
