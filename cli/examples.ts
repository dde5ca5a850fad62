/** The end of a command's help. @param examples what comes after `tenure` in each */
export const examplesOf = (...examples: readonly string[]): string =>
  `\nExamples:\n${examples.map((example) => `  tenure ${example}`).join('\n')}`;
