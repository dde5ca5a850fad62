import { describeEveryPage } from './kit/every-page.ts';

// Operators need a role, which signing in by name does not give.
describeEveryPage('shared-secret', ['user', 'provider']);
