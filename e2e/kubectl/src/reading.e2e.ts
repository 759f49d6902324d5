import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, test } from '@jest/globals';
import { configMap, deployment } from './manifests.ts';
import { openSession } from './session.ts';
import { column } from './table-column.ts';

const { kubectl, pipe, jsonOf } = openSession();

describe('kubectl create and get', () => {
  test('creates from a file and prints a table, wide, YAML, JSON and names', async () => {
    expect(await pipe(deployment('web'), 'create')).toBe('deployment.apps/web created\n');
    const table = await kubectl('get', 'deployments');
    expect(column(table, 'NAME')).toEqual(['web']);
    expect(column(table, 'READY')).toEqual(['0/2']);
    const wide = await kubectl('get', 'deploy', 'web', '-o', 'wide');
    expect(column(wide, 'IMAGES')).toEqual(['nginx:1.27']);
    expect(column(wide, 'SELECTOR')).toEqual(['app=web']);
    expect(await kubectl('get', 'deploy', 'web', '-o', 'yaml')).toContain('kind: Deployment\n');
    expect(await jsonOf('get', 'deploy', 'web')).toMatchObject({
      spec: { replicas: 2, strategy: { type: 'RollingUpdate' } },
    });
    expect(await kubectl('get', 'deploy', '-o', 'name')).toBe('deployment.apps/web\n');
  });

  test('creates a second time only as a conflict', async () => {
    const again = await kubectl.run(['create', '-f', '-'], { input: deployment('web') });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('AlreadyExists') });
  });

  test('creates the kinds that have commands of their own', async () => {
    await kubectl('create', 'namespace', 'team');
    await kubectl('create', 'configmap', 'settings', '-n', 'team', '--from-literal=a=1');
    await kubectl('create', 'secret', 'generic', 'hidden', '-n', 'team', '--from-literal=b=2');
    await kubectl('create', 'serviceaccount', 'robot', '-n', 'team');
    await kubectl('create', 'deployment', 'api', '-n', 'team', '--image=api:1');
    await kubectl('create', 'service', 'clusterip', 'api', '-n', 'team', '--tcp=80:8080');
    await kubectl('create', 'role', 'reader', '-n', 'team', '--verb=get', '--resource=pods');
    await kubectl('create', 'job', 'once', '-n', 'team', '--image=busybox');
    expect(column(await kubectl('get', 'configmap', '-n', 'team'), 'DATA')).toEqual(['1']);
    expect(column(await kubectl('get', 'secret', '-n', 'team'), 'TYPE')).toEqual(['Opaque']);
    expect(column(await kubectl('get', 'svc', '-n', 'team'), 'PORT(S)')).toEqual(['80/TCP']);
    expect(await kubectl('get', 'all', '-n', 'team')).toContain('deployment.apps/api');
  });

  test('gets by label and field selectors, over all namespaces, sorted and by column', async () => {
    await kubectl('create', 'deployment', 'second', '--image=x');
    expect(await kubectl('get', 'deploy', '-l', 'app=web', '-o', 'name')).toBe(
      'deployment.apps/web\n',
    );
    expect(await kubectl('get', 'deploy', '-l', 'app in (web,second),app!=web', '-o', 'name')).toBe(
      'deployment.apps/second\n',
    );
    expect(await kubectl('get', 'ns', '--field-selector', 'metadata.name=team', '-o', 'name')).toBe(
      'namespace/team\n',
    );
    expect(column(await kubectl('get', 'deploy', '-A'), 'NAMESPACE')).toContain('team');
    expect(
      await kubectl(
        'get',
        'deploy',
        '--sort-by=.metadata.name',
        '-o',
        'custom-columns=N:.metadata.name',
        '--no-headers',
      ),
    ).toBe('second\nweb\n');
    expect(await kubectl('get', 'deploy', 'web', '-o', 'jsonpath={.spec.replicas}')).toBe('2');
  });

  test('reports missing objects with the message of a real server', async () => {
    const { code, stderr } = await kubectl.run(['get', 'deploy', 'nowhere']);
    expect(code).toBe(1);
    expect(stderr).toBe('Error from server (NotFound): deployments.apps "nowhere" not found\n');
    const kind = await kubectl.run(['get', 'nothings']);
    expect(kind.stderr).toContain(`the server doesn't have a resource type "nothings"`);
  });

  test('lists in chunks', async () => {
    await kubectl('create', 'namespace', 'many');
    const items = Array.from({ length: 30 }, (_, index) => configMap(`c${index}`, {}));
    await pipe(
      `{"apiVersion":"v1","kind":"List","items":[${items.join(',')}]}`,
      'create',
      '-n',
      'many',
    );
    const names = await kubectl('get', 'cm', '-n', 'many', '--chunk-size=7', '-o', 'name');
    expect(names.trimEnd().split('\n')).toHaveLength(30);
  });
});

describe('kubectl get --watch', () => {
  test('prints what is there, then what changes', async () => {
    await pipe(configMap('watched', { a: '1' }), 'create');
    const watching = kubectl.start(['get', 'cm', 'watched', '-w']);
    if (watching.stdout === null) throw new Error('kubectl was started without a pipe');
    const lines = createInterface({ input: watching.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<string> => String((await lines.next()).value);
    expect(await next()).toMatch(/^NAME +DATA +AGE/);
    expect(await next()).toMatch(/^watched +1 /);
    await kubectl('patch', 'cm', 'watched', '-p', '{"data":{"b":"2"}}');
    expect(await next()).toMatch(/^watched +2 /);
    await kubectl('delete', 'cm', 'watched');
    expect(await next()).toMatch(/^watched +2 /);
    const ended = once(watching, 'exit');
    watching.kill();
    await ended;
  });
});
