import { describeEveryPage } from './kit/every-page.ts';

// Operators have roles, which names alone do not give.
describeEveryPage('shared-secret', ['user', 'provider']);
