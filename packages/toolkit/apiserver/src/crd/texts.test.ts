import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { type RawResponse, type Json, RawClient } from '../server/raw-client.test-support.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function definition(text: object): Json {
  const spec = { type: 'object', properties: { text: { type: 'string', ...text } } };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return {
    metadata: { name: 'words.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'words', kind: 'Word' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

/** The response to a custom resource with this string. */
async function responseTo(schema: object, text: string): Promise<RawResponse> {
  await using server = await createApiServer();
  const client = new RawClient(server);
  expect((await client.post(crds, definition(schema))).code).toBe(201);
  await server.idle();
  const word = { apiVersion: 'example.com/v1', kind: 'Word', metadata: { name: 'w' } };
  return await client.post('/apis/example.com/v1/words', { ...word, spec: { text } });
}

describe('a string of a custom resource', () => {
  test('is matched by RE2, which has no exponential patterns', async () => {
    const { code } = await responseTo({ pattern: '^(a+)+$' }, `${'a'.repeat(100_000)}!`);
    expect(code).toBe(422);
    expect((await responseTo({ pattern: '(?i)^[[:alpha:]]+$' }, 'ABC')).code).toBe(201);
    const nested = { anyOf: [{ pattern: '\\Aa\\z' }, { pattern: '^\\pL+$' }] };
    expect((await responseTo(nested, 'é')).code).toBe(201);
    expect((await responseTo(nested, '-')).code).toBe(422);
  }, 5000);

  test.each(['__proto__', 'constructor'])(
    'a string of a custom resource of format %s is accepted',
    async (format) => {
      expect((await responseTo({ format }, 'x')).code).toBe(201);
    },
  );

  test.each([
    ['(a)\\1', 'invalid escape sequence: `\\1`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(?<!a)b', 'invalid named capture: `(?<!a)b`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['\\', 'trailing backslash at end of expression: ``'],
  ])('may not have the pattern %s, which RE2 does not support', async (pattern, why) => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const inside = await client.post(crds, definition({ pattern }));
    const nested = await client.post(crds, definition({ anyOf: [{ pattern }] }));
    const problem = `must be a valid regular expression, but isn't: error parsing regexp: ${why}`;
    for (const { code, body } of [inside, nested]) {
      expect([code, body.message]).toEqual([422, expect.stringContaining(problem)]);
    }
  });
});
