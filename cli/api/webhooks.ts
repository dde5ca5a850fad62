import type { ApiGroup, Option } from './description.ts';

const ONE = 'wh_5e0fd54fdd1c4d7f8a9b0c1d2e3f4a5b';

const URL_OPTION: Option = {
  flags: '--url <url>',
  about: 'the https address that receives the events; or mailto:customers or mailto:operators',
};
const TYPES: Option = {
  flags: '--types <type...>',
  about: 'the event types, such as tenure.operation.succeeded or "tenure.lifecycle.*"',
};

const CONTENT_TYPE: Option = {
  flags: '--content-type <type>',
  about: 'application/json, or application/cloudevents+json',
};

/** Commands for webhooks: `/webhooks`. */
export const WEBHOOKS: ApiGroup = {
  name: 'webhooks',
  about: 'webhooks: the targets of your events, and their deliveries',
  commands: [
    {
      usage: 'list',
      about: 'list your webhooks, oldest first',
      path: '/webhooks',
      columns: [
        ['id', 'id', 'whole'],
        ['enabled', 'enabled', 'whole'],
        ['failures', 'failures', 'whole'],
        ['failing', 'failingSince', 'age'],
        ['url', 'url'],
        ['types', 'types'],
        ['why not', 'disabledReason'],
      ],
      none: 'no webhooks',
      examples: ['webhooks list'],
    },
    {
      usage: 'show <id>',
      about: 'show one webhook',
      path: '/webhooks/{id}',
      examples: [`webhooks show ${ONE}`],
    },
    {
      usage: 'add',
      about: 'add a webhook; it receives all events unless types are given',
      method: 'POST',
      path: '/webhooks',
      options: [{ ...URL_OPTION, isRequired: true }, TYPES, CONTENT_TYPE],
      hasSecret: true,
      examples: [
        'webhooks add --url https://example.org/hooks/tenure --secret-file hook.secret',
        'webhooks add --url https://example.org/hooks/tenure --types "tenure.operation.*" --secret-file hook.secret',
        'webhooks add --url mailto:customers --secret-file mail.secret',
      ],
    },
    {
      usage: 'change <id>',
      about: 'change the address or the event types of a webhook',
      method: 'PATCH',
      path: '/webhooks/{id}',
      options: [URL_OPTION, TYPES, CONTENT_TYPE],
      examples: [`webhooks change ${ONE} --types "tenure.lifecycle.*"`],
    },
    ...(['enable', 'disable'] as const).map((verb) => ({
      usage: `${verb} <id>`,
      about: verb === 'enable' ? 'enable a webhook' : 'disable a webhook',
      method: 'PATCH' as const,
      path: '/webhooks/{id}',
      fixed: { enabled: verb === 'enable' },
      examples: [`webhooks ${verb} ${ONE}`],
    })),
    {
      usage: 'rotate-secret <id>',
      about: 'create a new secret; the old secret also signs events for one day',
      method: 'POST',
      path: '/webhooks/{id}/rotate-secret',
      hasSecret: true,
      examples: [`webhooks rotate-secret ${ONE} --secret-file hook.secret`],
    },
    {
      usage: 'test <id>',
      about: 'send a test event',
      method: 'POST',
      path: '/webhooks/{id}/test',
      examples: [`webhooks test ${ONE}`],
    },
    {
      usage: 'deliveries <id>',
      about: 'the deliveries of a webhook, newest first',
      path: '/webhooks/{id}/deliveries',
      isPaged: true,
      columns: [
        ['id', 'id', 'whole'],
        ['state', 'state', 'state'],
        ['type', 'type', 'whole'],
        ['attempts', 'attempts', 'whole'],
        ['age', 'createdAt', 'age'],
        ['next', 'dueAt', 'age'],
        ['answer', 'lastAttempt.status', 'whole'],
        ['error', 'lastAttempt.error'],
        ['message', 'messageId'],
      ],
      none: 'the webhook has no deliveries yet',
      examples: [`webhooks deliveries ${ONE}`, `webhooks deliveries ${ONE} --all --json`],
    },
    {
      usage: 'redeliver <id> <deliveryId>',
      about: 'repeat a delivery',
      method: 'POST',
      path: '/webhooks/{id}/deliveries/{deliveryId}/redeliver',
      examples: [`webhooks redeliver ${ONE} 42`],
    },
    {
      usage: 'remove <id>',
      about: 'remove a webhook',
      method: 'DELETE',
      path: '/webhooks/{id}',
      examples: [`webhooks remove ${ONE}`],
    },
  ],
};
