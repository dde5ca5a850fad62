import { describeEveryPage } from './kit/every-page.ts';

// Signing in by name gives no roles, so there are no operators here.
describeEveryPage('shared-secret', ['user', 'provider']);
