import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { kubectlFor, type Kubectl } from './kubectl.ts';
import { startServer, type RunningServer } from './running-server.ts';

describe('kubectl against a server with users, RBAC and TLS', () => {
  let guarded: RunningServer;
  let admin: Kubectl;
  let vera: Kubectl;
  let home: string;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'keelson-kubectl-users-'));
    const tokens = join(home, 'tokens.csv');
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
    await rm(home, { recursive: true });
  });

  test('the kubeconfig is for its owner’s eyes only', async () => {
    expect(guarded.url).toMatch(/^https:/);
    expect((await stat(guarded.kubeconfig)).mode & 0o077).toBe(0);
  });

  test('auth whoami prints the administrator of the kubeconfig', async () => {
    const groups = await admin('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.groups}');
    expect(groups).toContain('system:masters');
  });

  test('a user may do what a binding grants, and no more', async () => {
    const rejected = await vera.run(['get', 'pods']);
    expect(rejected.stderr).toBe(
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

  test('a wrong token is refused', async () => {
    const outcome = await vera.run(['get', 'pods', '--token=wrong']);
    expect(outcome.stderr).toContain('You must be logged in to the server');
  });
});
