import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { openClient } from '../../testing/open-client.test-support.ts';
import { json, rejection, status } from '../../testing/recording-server.test-support.ts';

const { signal } = new AbortController();

/** Returns the missing rule of pods if the review contains these rules. */
async function missing(
  resourceRules: unknown,
  verb: 'list' | 'watch' = 'list',
): Promise<readonly string[] | undefined> {
  await using setup = await openClient((_request, response) =>
    json(response, { kind: 'SelfSubjectRulesReview', status: { resourceRules } }),
  );
  const source = setup.client.listerWatcher({ resource: builtin.Pod, namespace: 'a' });
  const rule = await source.missingRule(verb, signal);
  expect(rule).toMatchObject({ apiGroups: [''], resources: ['pods'] });
  return rule.verbs;
}

describe('the rule that a user lacks', () => {
  const pods = { apiGroups: [''], resources: ['pods'] };

  test.each([
    ['no rule', [], ['list', 'watch']],
    ['null', null, ['list', 'watch']],
    ['the other verb', [{ ...pods, verbs: ['watch'] }], ['list']],
    [
      'every verb but for named objects',
      [{ ...pods, verbs: ['*'], resourceNames: ['x'] }],
      ['list', 'watch'],
    ],
    ['another group', [{ ...pods, apiGroups: ['apps'], verbs: ['watch'] }], ['list', 'watch']],
    [
      'another resource',
      [{ ...pods, resources: ['pods/log'], verbs: ['watch'] }],
      ['list', 'watch'],
    ],
    ['wildcards', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }], ['list']],
    ['a rule of paths', [{ verbs: ['get'] }], ['list', 'watch']],
  ])('a review with %s', async (_what, rules, verbs) => {
    expect(await missing(rules)).toEqual(verbs);
  });

  test('the denied verb is always part of it', async () => {
    expect(await missing([{ ...pods, verbs: ['list', 'watch'] }], 'watch')).toEqual(['watch']);
  });

  test('one review is sent for each verb, in the namespace of the watch', async () => {
    await using setup = await openClient((_request, response) => json(response, { status: {} }));
    const source = setup.client.listerWatcher({ resource: builtin.Pod, namespace: 'a' });
    await Promise.all([source.missingRule('list', signal), source.missingRule('list', signal)]);
    await source.missingRule('list', signal);
    await source.missingRule('watch', signal);
    const everywhere = setup.client.listerWatcher({ resource: builtin.Pod });
    await everywhere.missingRule('list', signal);
    const bodies = setup.server.requests.map(({ body }) => JSON.parse(body) as { spec: unknown });
    expect(bodies.map(({ spec }) => spec)).toEqual([
      { namespace: 'a' },
      { namespace: 'a' },
      { namespace: 'default' },
    ]);
  });

  test('a failed review rejects, and is not repeated for a while', async () => {
    await using setup = await openClient(
      (_request, response) => status(response, 403, 'Forbidden'),
      { retry: false },
    );
    const source = setup.client.listerWatcher({ resource: builtin.Pod });
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = await rejection(source.missingRule('list', signal));
      expect(error).toMatchObject({ reason: 'Forbidden' });
    }
    expect(setup.server.requests).toHaveLength(1);
  });
});
