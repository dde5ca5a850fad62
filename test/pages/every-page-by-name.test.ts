import { describeEveryPage } from './kit/every-page.ts';

// Operators need a role, which a name alone does not give.
describeEveryPage('shared-secret', ['user', 'provider']);
