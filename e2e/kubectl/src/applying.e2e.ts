import { describe, expect, test } from '@jest/globals';
import { configMap, deployment } from './manifests.ts';
import { openSession } from './session.ts';

const { kubectl, pipe, jsonOf } = openSession();

describe('kubectl apply', () => {
  test('creates, changes, leaves alone and prunes what it set before', async () => {
    expect(await pipe(configMap('applied', { a: '1', b: '2' }), 'apply')).toContain('created');
    expect(await pipe(configMap('applied', { a: '1', b: '2' }), 'apply')).toContain('unchanged');
    expect(await pipe(configMap('applied', { a: '3' }), 'apply')).toContain('configured');
    expect(await jsonOf('get', 'cm', 'applied')).toMatchObject({ data: { a: '3' } });
    expect(await kubectl('get', 'cm', 'applied', '-o', 'jsonpath={.data.b}')).toBe('');
  });

  test('merges lists of a built-in kind by their keys', async () => {
    await pipe(deployment('listed'), 'apply');
    await kubectl('set', 'env', 'deploy/listed', 'A=1');
    await pipe(deployment('listed', 3), 'apply');
    expect(
      await kubectl(
        'get',
        'deploy',
        'listed',
        '-o',
        'jsonpath={.spec.template.spec.containers[0].env[0].name}',
      ),
    ).toBe('A');
  });

  test('--server-side owns its fields; another manager meets a conflict, unless it forces', async () => {
    const ours = ['apply', '--server-side', '--field-manager=ours'];
    const theirs = ['apply', '--server-side', '--field-manager=theirs'];
    expect(await pipe(configMap('shared', { a: '1' }), ...ours)).toContain('serverside-applied');
    const input = configMap('shared', { a: '2' });
    const rejected = await kubectl.run([...theirs, '-f', '-'], { input });
    expect(rejected.code).toBe(1);
    expect(rejected.stderr).toContain('conflict with "ours": .data.a');
    await pipe(input, ...theirs, '--force-conflicts');
    const managers = await kubectl(
      'get',
      'cm',
      'shared',
      '--show-managed-fields',
      '-o',
      'jsonpath={.metadata.managedFields[*].manager}',
    );
    expect(managers).toBe('theirs');
  });

  test('diff shows what apply would change and changes nothing', async () => {
    await pipe(configMap('differs', { a: '1' }), 'apply');
    const none = await kubectl.run(['diff', '-f', '-'], {
      input: configMap('differs', { a: '1' }),
    });
    expect(none).toMatchObject({ code: 0, stdout: '' });
    const some = await kubectl.run(['diff', '-f', '-'], {
      input: configMap('differs', { a: '2' }),
    });
    expect(some.code).toBe(1);
    expect(some.stdout).toMatch(/-\s+a: "1"\n\+\s+a: "2"/);
    expect(await kubectl('get', 'cm', 'differs', '-o', 'jsonpath={.data.a}')).toBe('1');
  });

  test('refuses a field that the kind does not have', async () => {
    const input = configMap('typo', {}).replace('"data"', '"dta"');
    const { code, stderr } = await kubectl.run(['apply', '-f', '-'], { input });
    expect(code).toBe(1);
    expect(stderr).toContain('unknown field "dta"');
  });

  test('--dry-run=server returns the object and stores nothing', async () => {
    expect(await pipe(configMap('dry', {}), 'apply', '--dry-run=server')).toContain(
      '(server dry run)',
    );
    expect((await kubectl.run(['get', 'cm', 'dry'])).code).toBe(1);
  });
});
