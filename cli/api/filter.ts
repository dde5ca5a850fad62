import { POLICY_NAMES } from '../../src/domain/automatic.ts';
import { CHANGE_STATES } from '../../src/domain/change.ts';
import { OPERATIONS } from '../../src/domain/licensing.ts';
import type { Option } from './description.ts';

/** What operations are found by: the same for a search, their counts and an act on many of them. */
export const FILTER: readonly Option[] = [
  { flags: '--state <state...>', about: 'any of these', choices: CHANGE_STATES },
  { flags: '--class <class...>', about: 'what the ledger’s answer means: any of these' },
  { flags: '--code <code>', about: 'of the problem, or of the ledger' },
  { flags: '--party <party>', about: 'whom they are about, whoever asked' },
  { flags: '--lifecycle-id <id>', about: 'of this lifecycle: its ID or any contract ID it had' },
  {
    flags: '--contract-id <id>',
    about: 'an attempt named it, or will: all of its lifecycle --lifecycle-id finds',
  },
  { flags: '--command-id <id>', about: 'this one; with * at the end, all that begin so' },
  { flags: '--older-than <age>', about: 'accepted longer ago, or before an instant', isAge: true },
  {
    flags: '--newer-than <age>',
    about: 'accepted less long ago, or since an instant',
    isAge: true,
  },
  { flags: '--by <subject>', about: 'the identity that asked' },
  { flags: '--policy <name>', about: 'this policy asked for it', choices: POLICY_NAMES },
  { flags: '--operation <operation...>', about: 'any of these', choices: OPERATIONS },
  { flags: '--failure <fingerprint>', about: 'with this failure: see ops failures' },
];
