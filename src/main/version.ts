import manifest from '../../package.json' with { type: 'json' };

/** The version of Tenure, from the one place that says it. */
export const VERSION: string = manifest.version;
