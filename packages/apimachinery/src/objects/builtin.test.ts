import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';

import { apiVersionOf, resourceId } from './api-resource.ts';
import { builtin } from './builtin.ts';

/** Written by `scripts/builtin-kinds.mjs` from Kubernetes' own discovery documents. */
const served = readFileSync(new URL('../../testdata/builtin-kinds.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

describe('builtin', () => {
  test('has exactly the kinds that Kubernetes serves, with their plurals and scopes', () => {
    const tokens = Object.values(builtin).map((token) =>
      [
        apiVersionOf(token),
        token.kind,
        token.plural,
        token.namespaced ? 'namespaced' : 'cluster',
      ].join(' '),
    );
    expect(tokens.toSorted()).toEqual(served.toSorted());
  });

  test('calls every kind by its name, but for the second Event', () => {
    const renamed = Object.entries(builtin).filter(([name, token]) => name !== token.kind);
    expect(renamed).toEqual([['EventsV1Event', builtin.EventsV1Event]]);
    expect(resourceId(builtin.Event)).toBe('v1/events');
    expect(resourceId(builtin.EventsV1Event)).toBe('events.k8s.io/v1/events');
  });

  test('tokens are frozen', () => {
    expect(Object.values(builtin).every((token) => Object.isFrozen(token))).toBe(true);
  });
});
