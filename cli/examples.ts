/** Returns the end of a command's help. @param examples command lines without the leading `tenure` */
export const examplesOf = (...examples: readonly string[]): string =>
  `\nExamples:\n${examples.map((example) => `  tenure ${example}`).join('\n')}`;
