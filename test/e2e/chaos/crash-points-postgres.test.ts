import { crashSuite } from './crash-suite.ts';

crashSuite('postgres', [
  'change:before-commit',
  'change:after-commit',
  'queue:before-add',
  'queue:after-add',
  'dispatch:after-commit',
  'submit:before',
  'submit:after',
  'answer:before-commit',
  'answer:after-commit',
  'batch:updates-written',
  'outcome:before-commit',
  'outcome:after-commit',
]);
