import { crashSuite } from './crash-suite.ts';

/*
 * Crash points of a first attempt that is recorded together with its change. The process that records it also submits
 * it.
 */
crashSuite(
  'postgres',
  ['change:after-commit', 'submit:before', 'submit:after', 'answer:before-commit'],
  true,
);
