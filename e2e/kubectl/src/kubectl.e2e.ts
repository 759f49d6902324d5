import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { kubectlFor, type Kubectl } from './kubectl.ts';
import { configMap, crd, deployment, ownedConfigMap, shop } from './manifests.ts';
import { startServer, type RunningServer } from './running-server.ts';

let server: RunningServer;
let kubectl: Kubectl;

beforeAll(async () => {
  server = await startServer([]);
  kubectl = kubectlFor(server.kubeconfig, server.folder);
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

/** Pipes a manifest into a kubectl that must succeed. */
async function pipe(input: string, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await kubectl.run([...words, '-f', '-'], { input });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  return stdout;
}

async function jsonOf(...words: string[]): Promise<Record<string, never>> {
  return JSON.parse(await kubectl(...words, '-o', 'json')) as Record<string, never>;
}

/** What a column holds, by its title; kubectl aligns columns by width. */
function column(table: string, title: string): string[] {
  const [header = '', ...rows] = table.trimEnd().split('\n');
  const from = header.indexOf(title);
  const width = /^\S+(?: \S+)* {2,}/.exec(header.slice(from))?.[0].length;
  return rows.map((row) => row.slice(from, width && from + width).trim());
}

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

  test('says what is not there in the words of a real server', async () => {
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
    const refused = await kubectl.run([...theirs, '-f', '-'], { input });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('conflict with "ours": .data.a');
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

  test('--dry-run=server answers and keeps nothing', async () => {
    expect(await pipe(configMap('dry', {}), 'apply', '--dry-run=server')).toContain(
      '(server dry run)',
    );
    expect((await kubectl.run(['get', 'cm', 'dry'])).code).toBe(1);
  });
});

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
    const editor = join(server.folder, 'editor.sh');
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

describe('kubectl delete', () => {
  async function family(owner: string): Promise<string> {
    await pipe(configMap(owner, {}), 'create');
    const uid = await kubectl('get', 'cm', owner, '-o', 'jsonpath={.metadata.uid}');
    await pipe(ownedConfigMap(`${owner}-child`, owner, uid), 'create');
    return `${owner}-child`;
  }

  test('removes what is owned in the background by default', async () => {
    const child = await family('parent-background');
    await kubectl('delete', 'cm', 'parent-background');
    await kubectl('wait', `cm/${child}`, '--for=delete', '--timeout=20s');
  });

  test('--cascade=foreground removes what is owned first', async () => {
    const child = await family('parent-foreground');
    await kubectl('delete', 'cm', 'parent-foreground', '--cascade=foreground');
    expect((await kubectl.run(['get', 'cm', child])).code).toBe(1);
  });

  test('--cascade=orphan leaves what is owned, without its owner', async () => {
    const child = await family('parent-orphan');
    await kubectl('delete', 'cm', 'parent-orphan', '--cascade=orphan');
    expect(await kubectl('get', 'cm', child, '-o', 'jsonpath={.metadata.ownerReferences}')).toBe(
      '',
    );
  });

  test('waits for finalizers', async () => {
    await pipe(configMap('held', {}), 'create');
    await kubectl(
      'patch',
      'cm',
      'held',
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":["example.com/hold"]}}',
    );
    await kubectl('delete', 'cm', 'held', '--wait=false');
    expect(
      await kubectl('get', 'cm', 'held', '-o', 'jsonpath={.metadata.deletionTimestamp}'),
    ).not.toBe('');
    const gone = kubectl('wait', 'cm/held', '--for=delete', '--timeout=20s');
    await kubectl('patch', 'cm', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
    await gone;
  });

  test('by selector, and a namespace with all that is in it', async () => {
    await kubectl('create', 'namespace', 'doomed');
    await kubectl('create', 'configmap', 'a', '-n', 'doomed');
    await kubectl('label', 'cm', 'a', '-n', 'doomed', 'x=1');
    expect(await kubectl('delete', 'cm', '-n', 'doomed', '-l', 'x=1')).toContain('"a" deleted');
    await kubectl('create', 'configmap', 'b', '-n', 'doomed');
    await kubectl('delete', 'namespace', 'doomed');
    expect((await kubectl.run(['get', 'ns', 'doomed'])).code).toBe(1);
    expect(await kubectl('get', 'cm', '-A', '-o', 'name')).not.toContain('configmap/b');
  });
});

describe('kubectl and custom resources', () => {
  beforeAll(async () => {
    await pipe(crd, 'apply');
    await kubectl('wait', 'crd/shops.example.com', '--for=condition=Established', '--timeout=20s');
  });

  test('creates, defaults, prints its columns, scales, explains', async () => {
    await pipe(shop('corner', { replicas: 2 }), 'create');
    const wide = await kubectl('get', 'sh', '-o', 'wide');
    expect(column(wide, 'REPLICAS')).toEqual(['2']);
    expect(column(wide, 'OWNER')).toEqual(['nobody']);
    await kubectl('scale', 'shop', 'corner', '--replicas=5');
    expect(column(await kubectl('get', 'shops'), 'REPLICAS')).toEqual(['5']);
    expect(await kubectl('get', 'all')).toContain('shop.example.com/corner');
    expect(await kubectl('explain', 'shop.spec.replicas')).toContain('How many of them there are.');
  });

  test('refuses what the schema forbids, naming the field', async () => {
    const { code, stderr } = await kubectl.run(['create', '-f', '-'], {
      input: shop('bad', { replicas: -1 }),
    });
    expect(code).toBe(1);
    expect(stderr).toContain('spec.replicas: Invalid value: -1');
  });

  test('applies on both sides', async () => {
    expect(await pipe(shop('sides', { replicas: 1 }), 'apply')).toContain('created');
    expect(await pipe(shop('sides', { replicas: 2 }), 'apply')).toContain('configured');
    await pipe(shop('sides', { replicas: 3 }), 'apply', '--server-side', '--force-conflicts');
    expect(await kubectl('get', 'shop', 'sides', '-o', 'jsonpath={.spec.replicas}')).toBe('3');
  });
});

describe('kubectl asks about the server', () => {
  test('api-resources and api-versions', async () => {
    const resources = await kubectl('api-resources', '-o', 'wide');
    expect(resources).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment /m);
    expect(resources).toMatch(/^namespaces +ns +v1 +false +Namespace /m);
    expect(await kubectl('api-versions')).toMatch(/^rbac\.authorization\.k8s\.io\/v1$/m);
  });

  test('explain', async () => {
    const text = await kubectl('explain', 'deployment.spec.replicas');
    expect(text).toMatch(/FIELD: replicas <integer>/);
    expect(text).toContain('Number of desired pods');
    expect(await kubectl('explain', 'pods', '--recursive')).toContain('containers');
  });

  test('version and get --raw', async () => {
    expect(await kubectl('version')).toMatch(/Server Version: v1\.\d+/);
    expect(await kubectl('get', '--raw', '/readyz')).toBe('ok');
    expect(JSON.parse(await kubectl('get', '--raw', '/api/v1/namespaces'))).toMatchObject({
      kind: 'NamespaceList',
    });
  });

  // kubectl sends no credentials over plain HTTP: here everybody is anonymous, and may do everything.
  test('auth can-i', async () => {
    expect(await kubectl('auth', 'can-i', 'delete', 'nodes')).toBe('yes\n');
  });
});

describe('kubectl against a server with users, RBAC and TLS', () => {
  let guarded: RunningServer;
  let admin: Kubectl;
  let vera: Kubectl;

  beforeAll(async () => {
    const tokens = join(server.folder, 'tokens.csv');
    await writeFile(tokens, 'vera-token,vera,uid-vera,"viewers"\n');
    const words = ['--tls', '--authorization-mode', 'RBAC', '--anonymous-auth', 'false'];
    guarded = await startServer([...words, '--token-auth-file', tokens]);
    admin = kubectlFor(guarded.kubeconfig, guarded.folder);
    const veras = join(guarded.folder, 'vera');
    await writeFile(veras, await readFile(guarded.kubeconfig));
    const asVera = kubectlFor(veras, guarded.folder);
    await asVera('config', 'set-credentials', 'vera', '--token=vera-token');
    await asVera('config', 'set-context', '--current', '--user=vera');
    vera = asVera;
  });

  afterAll(async () => {
    expect(await guarded.stop()).toBe(0);
  });

  test('the kubeconfig is for its owner’s eyes only', async () => {
    expect(guarded.url).toMatch(/^https:/);
    expect((await stat(guarded.kubeconfig)).mode & 0o077).toBe(0);
  });

  test('auth whoami tells the administrator of the kubeconfig', async () => {
    const groups = await admin('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.groups}');
    expect(groups).toContain('system:masters');
  });

  test('a user may do what a binding grants, and no more', async () => {
    const refused = await vera.run(['get', 'pods']);
    expect(refused.stderr).toBe(
      'Error from server (Forbidden): pods is forbidden: User "vera" cannot list resource "pods" in API group "" in the namespace "default"\n',
    );
    expect((await vera.run(['auth', 'can-i', 'list', 'pods'])).stdout).toBe('no\n');
    await admin('create', 'rolebinding', 'viewers', '--clusterrole=view', '--group=viewers');
    expect(await vera('auth', 'can-i', 'list', 'pods')).toBe('yes\n');
    expect(await vera('get', 'pods', '-o', 'name')).toBe('');
    expect((await vera.run(['create', 'configmap', 'no'])).stderr).toContain('forbidden');
    expect(await vera('auth', 'can-i', '--list')).toContain('selfsubjectaccessreviews');
    expect(await vera('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')).toBe('vera');
  });

  test('a wrong token is nobody', async () => {
    const outcome = await vera.run(['get', 'pods', '--token=wrong']);
    expect(outcome.stderr).toContain('You must be logged in to the server');
  });
});
