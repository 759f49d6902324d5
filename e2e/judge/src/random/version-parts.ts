import * as fc from 'fast-check';
import { members, mostly } from './member.ts';

/** Names that are no labels, and some that are. */
export const labels: fc.Arbitrary<string> = fc.constantFrom(
  'A',
  'a_b',
  '1a',
  'a.b',
  '',
  'a'.repeat(64),
  '-a',
  'é',
);

/** Paths of printer columns and selectable fields. */
export const jsonPaths: fc.Arbitrary<string> = mostly(
  fc.constantFrom(
    '.spec.a',
    '.spec.b.c',
    '.status.a',
    '.metadata.name',
    ".spec['a']",
    '.spec.c[0]',
    '.spec',
    '.a',
  ),
  10,
  fc.constantFrom(
    '',
    '.',
    'spec.a',
    '..a',
    '.spec.',
    '.spec.missing',
    '.metadata.labels',
    "['spec']",
    '.spec[',
    '.spec.a.b.c',
    '.spec.x-y',
    '.spec.name',
  ),
);

/** Printer columns. */
export const column: fc.Arbitrary<object> = members({
  name: [98, mostly(fc.constantFrom('A', 'B'), 3, fc.constant(''))],
  type: [
    98,
    mostly(
      fc.constantFrom('string', 'integer', 'number', 'boolean', 'date'),
      4,
      fc.constantFrom('', 'object'),
    ),
  ],
  jsonPath: [98, jsonPaths],
  format: [
    15,
    mostly(
      fc.constantFrom(
        'int32',
        'int64',
        'float',
        'double',
        'byte',
        'binary',
        'date',
        'date-time',
        'password',
      ),
      10,
      fc.constantFrom('', 'x'),
    ),
  ],
  description: [10, fc.constantFrom('', 'text')],
  priority: [10, fc.constantFrom(0, 1, -1, 2 ** 31)],
});

const scalePaths = mostly(
  fc.constantFrom('.spec.a', '.spec.b.c', '.status.a'),
  15,
  fc.constantFrom('', '.', '.spec', 'spec.a', '.spec.', '.metadata.a', '.spec..a', '.status'),
);

/** Status and scale. */
export const subresources: fc.Arbitrary<object> = members({
  status: [70, fc.constant({})],
  scale: [
    25,
    members({
      specReplicasPath: [97, mostly(fc.constant('.spec.a'), 15, scalePaths)],
      statusReplicasPath: [97, mostly(fc.constant('.status.a'), 15, scalePaths)],
      labelSelectorPath: [30, scalePaths],
    }),
  ],
});

/** Deprecation warnings. */
export const warnings: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom('gizmos are old', 'old'), weight: 8 },
  {
    arbitrary: fc.constantFrom(
      '',
      'a\nb',
      '\u{1f600}',
      'a\u00a0b',
      '\u2028',
      'a'.repeat(257),
      'é'.repeat(129),
      'é\u0007',
      '\ufeff',
      '\u00ad',
      '\ue000',
      '\u0378',
    ),
    weight: 4,
  },
);

const urls = fc.constantFrom(
  'https://a.example/convert',
  'http://a',
  'https://user@a',
  'https://a?b=c',
  'https://a#b',
  'https://',
  'a',
  'https://a:99999',
  'https://a:b',
  'https://a b',
  'https://%zz',
  'https://a/%zz',
  'https://[::1',
  'https://a\n',
  'a:b:c',
  'https:a',
);

const service = members({
  name: [97, mostly(fc.constant('hook'), 10, labels)],
  namespace: [97, mostly(fc.constant('default'), 10, labels)],
  path: [30, fc.constantFrom('/convert', '', '/', 'convert', '/a//b', '/a b', '/a/..', '/A_b/')],
  port: [20, fc.constantFrom(443, 0, -1, 70000)],
});

const webhook = members({
  clientConfig: [
    95,
    members({
      url: [40, urls],
      service: [55, service],
      caBundle: [20, fc.constantFrom('YQ==', '', '%%')],
    }),
  ],
  conversionReviewVersions: [
    95,
    fc.array(mostly(fc.constantFrom('v1', 'v1beta1'), 15, fc.constantFrom('v2', '', 'V', 'v1')), {
      maxLength: 2,
    }),
  ],
});

/** Conversion stanzas. */
export const conversion: fc.Arbitrary<object> = fc.oneof(
  { arbitrary: fc.constant({ strategy: 'None' }), weight: 3 },
  { arbitrary: webhook.map((found) => ({ strategy: 'Webhook', webhook: found })), weight: 4 },
  {
    arbitrary: fc.oneof(
      fc.constantFrom({}, { strategy: '' }, { strategy: 'Other' }),
      webhook.map((found) => ({ strategy: 'None', webhook: found })),
      fc.constant({ strategy: 'None', webhook: {} }),
      fc.constant({ strategy: 'Webhook' }),
    ),
    weight: 1,
  },
);
