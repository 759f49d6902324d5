import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { runtimeCheck } from './runtime.ts';

const { signal } = new AbortController();

describe('the check of Node.js', () => {
  test.each([
    [{ node: '22.19.0' }, 'ok'],
    [{ node: '22.20.1' }, 'ok'],
    [{ node: '24.0.0' }, 'ok'],
    [{ node: '22.18.9' }, 'failed'],
    [{ node: '20.20.0' }, 'failed'],
    [{ node: '24.3.0', bun: '1.3.0' }, 'failed'],
  ])('of %j is %s', async (versions, status) => {
    expect(await runtimeCheck(versions).run(signal)).toMatchObject({ outcomes: [{ status }] });
  });

  test('accepts the oldest version that package.json permits', async () => {
    const file = new URL('../../../package.json', import.meta.url);
    const { engines } = JSON.parse(readFileSync(file, 'utf8')) as { engines: { node: string } };
    const node = `${engines.node.replace('>=', '')}.0`;
    expect(await runtimeCheck({ node }).run(signal)).toMatchObject({
      outcomes: [{ status: 'ok' }],
    });
  });
});
