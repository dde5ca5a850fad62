import type { ApiGroup, Option } from './description.ts';

const ONE = 'wh_5e0fd54fdd1c4d7f8a9b0c1d2e3f4a5b';

const URL_OPTION: Option = {
  flags: '--url <url>',
  about: 'where events are sent, https; or mailto:customers or mailto:operators',
};
const TYPES: Option = {
  flags: '--types <type...>',
  about: 'what it is told of, such as tenure.operation.succeeded or "tenure.lifecycle.*"',
};

const CONTENT_TYPE: Option = {
  flags: '--content-type <type>',
  about: 'application/json, or application/cloudevents+json',
};

/** Commands for webhooks: `/webhooks`. */
export const WEBHOOKS: ApiGroup = {
  name: 'webhooks',
  about: 'who is told of your events: targets, and what was sent to them',
  commands: [
    {
      usage: 'list',
      about: 'your webhooks, oldest first',
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
      about: 'one of them',
      path: '/webhooks/{id}',
      examples: [`webhooks show ${ONE}`],
    },
    {
      usage: 'add',
      about: 'be told of events; all of them unless types are given',
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
      about: 'change where it leads or what it is told of',
      method: 'PATCH',
      path: '/webhooks/{id}',
      options: [URL_OPTION, TYPES, CONTENT_TYPE],
      examples: [`webhooks change ${ONE} --types "tenure.lifecycle.*"`],
    },
    ...(['enable', 'disable'] as const).map((verb) => ({
      usage: `${verb} <id>`,
      about: verb === 'enable' ? 'send to it again' : 'send nothing to it for now',
      method: 'PATCH' as const,
      path: '/webhooks/{id}',
      fixed: { enabled: verb === 'enable' },
      examples: [`webhooks ${verb} ${ONE}`],
    })),
    {
      usage: 'rotate-secret <id>',
      about: 'a new secret; the old one signs as well for a day',
      method: 'POST',
      path: '/webhooks/{id}/rotate-secret',
      hasSecret: true,
      examples: [`webhooks rotate-secret ${ONE} --secret-file hook.secret`],
    },
    {
      usage: 'test <id>',
      about: 'send it something harmless',
      method: 'POST',
      path: '/webhooks/{id}/test',
      examples: [`webhooks test ${ONE}`],
    },
    {
      usage: 'deliveries <id>',
      about: 'what was sent to it, newest first',
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
      none: 'nothing was sent to it yet',
      examples: [`webhooks deliveries ${ONE}`, `webhooks deliveries ${ONE} --all --json`],
    },
    {
      usage: 'redeliver <id> <deliveryId>',
      about: 'send it once more',
      method: 'POST',
      path: '/webhooks/{id}/deliveries/{deliveryId}/redeliver',
      examples: [`webhooks redeliver ${ONE} 42`],
    },
    {
      usage: 'remove <id>',
      about: 'be told of nothing more',
      method: 'DELETE',
      path: '/webhooks/{id}',
      examples: [`webhooks remove ${ONE}`],
    },
  ],
};
