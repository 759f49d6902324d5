import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startExample, until, type StartedExample } from '@keelson/example-support';
import { builtin } from '@keelson/manager';
import { definitions } from './custom-resource-definitions.ts';
import { constraintsOf, PolicyTemplate, SyncConfig } from './custom-resources.ts';
import { createOperator } from './operator.ts';
import { Violations } from './violations.ts';

const secrets = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets' };
const right = { kind: 'Right', plural: 'rights', requires: 'labels' } as const;

/** Reports when the constraints of a kind were deleted. */
class WatchedViolations extends Violations {
  readonly forgotten = Promise.withResolvers<string>();

  override forgetAll(plural: string): void {
    super.forgetAll(plural);
    this.forgotten.resolve(plural);
  }
}

describe('the templates of policy-sync', () => {
  let violations: WatchedViolations;
  let example: StartedExample;

  beforeEach(async () => {
    violations = new WatchedViolations();
    example = await startExample({
      definitions,
      createOperator: (options) => createOperator(options, violations),
    });
  });

  afterEach(async () => {
    await example[Symbol.asyncDispose]();
  });

  test.each([
    ['kind', { kind: 'x y' }],
    ['plural', { plural: 'A B' }],
  ])('have a valid %s, and checked kinds too: the server refuses others', async (_, wrong) => {
    const { client } = example;
    const metadata = { name: 'wrong' };
    const invalid = { statusCode: 422 };
    const template = { metadata, spec: { ...right, ...wrong } };
    await expect(client.create(PolicyTemplate, template)).rejects.toMatchObject(invalid);
    const config = { metadata, spec: { kinds: [{ ...secrets, ...wrong }] } };
    await expect(client.create(SyncConfig, config)).rejects.toMatchObject(invalid);
  });

  test('R1-11 that are renamed leave nothing of their constraints; of two versions of a kind the first is checked', async () => {
    const { client } = example;
    const template = await client.create(PolicyTemplate, {
      metadata: { name: 'one' },
      spec: right,
    });
    const kinds = [secrets, { ...secrets, version: 'v2' }];
    await client.create(SyncConfig, { metadata: { name: 'config' }, spec: { kinds } });
    const metadata = { namespace: 'default', name: 'without' };
    await client.create(builtin.Secret, { metadata });
    const constraints = constraintsOf(template);
    const definition = { name: `rights.${constraints.group}` };
    await until(client, builtin.CustomResourceDefinition, definition, (found) => {
      return found?.status?.conditions?.some(({ type }) => type === 'Established') === true;
    });
    const spec = { match: ['secrets'], keys: ['owner'] };
    await client.create(constraints, { metadata: { name: 'a' }, spec });
    await until(client, constraints, { name: 'a' }, (found) => found?.status?.violations === 1);
    const body = { spec: { kind: 'Renamed', plural: 'renameds' } };
    await client.patch(PolicyTemplate, { name: 'one' }, { type: 'merge', body });
    expect(await violations.forgotten.promise).toBe('rights');
    expect([violations.stored(), violations.constraints]).toEqual([[], []]);
  });
});
