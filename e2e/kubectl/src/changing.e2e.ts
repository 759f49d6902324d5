import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { deployment } from './manifests.ts';
import { openSession } from './session.ts';
import { column } from './table-column.ts';

const session = openSession();
const { kubectl, pipe, jsonOf } = session;

describe('kubectl changes', () => {
  beforeAll(async () => {
    await pipe(deployment('changed'), 'create');
  });

  test('patch of each type', async () => {
    await kubectl('patch', 'deploy', 'changed', '--type=merge', '-p', '{"spec":{"replicas":4}}');
    await kubectl(
      'patch',
      'deploy',
      'changed',
      '--type=json',
      '-p',
      '[{"op":"replace","path":"/spec/revisionHistoryLimit","value":3}]',
    );
    const container = { name: 'side', image: 'side:1' };
    const strategic = { spec: { template: { spec: { containers: [container] } } } };
    await kubectl('patch', 'deploy', 'changed', '-p', JSON.stringify(strategic));
    expect(await jsonOf('get', 'deploy', 'changed')).toMatchObject({
      spec: {
        replicas: 4,
        revisionHistoryLimit: 3,
        template: { spec: { containers: [{ name: 'side' }, { name: 'web' }] } },
      },
    });
  });

  test('a JSON patch whose test fails is refused', async () => {
    const patch = '[{"op":"test","path":"/spec/replicas","value":99}]';
    const outcome = await kubectl.run(['patch', 'deploy', 'changed', '--type=json', '-p', patch]);
    expect(outcome.code).toBe(1);
  });

  test('label and annotate, also to remove', async () => {
    await kubectl('label', 'deploy', 'changed', 'tier=front');
    await kubectl('annotate', 'deploy', 'changed', 'note=hello');
    expect(column(await kubectl('get', 'deploy', '-L', 'tier', '-l', 'tier'), 'TIER')).toEqual([
      'front',
    ]);
    await kubectl('label', 'deploy', 'changed', 'tier-');
    expect(await kubectl('get', 'deploy', '-l', 'tier', '-o', 'name')).toBe('');
    expect(
      await kubectl('get', 'deploy', 'changed', '-o', 'jsonpath={.metadata.annotations.note}'),
    ).toBe('hello');
  });

  test('scale, also only from a known size', async () => {
    await kubectl('scale', 'deploy', 'changed', '--replicas=7');
    expect(await kubectl('get', 'deploy', 'changed', '-o', 'jsonpath={.spec.replicas}')).toBe('7');
    const wrong = await kubectl.run([
      'scale',
      'deploy',
      'changed',
      '--current-replicas=1',
      '--replicas=2',
    ]);
    expect(wrong.code).toBe(1);
  });

  test('edit sends what the editor left', async () => {
    const editor = join(session.folder, 'editor.sh');
    await writeFile(editor, '#!/bin/sh\nsed -i "s/replicas: 7/replicas: 5/" "$1"\n', {
      mode: 0o755,
    });
    const outcome = await kubectl.run(['edit', 'deploy', 'changed'], {
      env: { KUBE_EDITOR: editor },
    });
    expect(outcome).toMatchObject({ code: 0, stdout: 'deployment.apps/changed edited\n' });
    expect(await kubectl('get', 'deploy', 'changed', '-o', 'jsonpath={.spec.replicas}')).toBe('5');
  });

  test('replace with an old resourceVersion meets a conflict', async () => {
    const old = await kubectl('get', 'deploy', 'changed', '-o', 'json');
    await kubectl('scale', 'deploy', 'changed', '--replicas=6');
    const outcome = await kubectl.run(['replace', '-f', '-'], { input: old });
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('Conflict') });
  });

  test('wait returns when a condition is there', async () => {
    const waiting = kubectl('wait', 'deploy/changed', '--for=condition=Available', '--timeout=20s');
    const status = { status: { conditions: [{ type: 'Available', status: 'True' }] } };
    await kubectl(
      'patch',
      'deploy',
      'changed',
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify(status),
    );
    expect(await waiting).toBe('deployment.apps/changed condition met\n');
  });
});
