import { once } from 'node:events';
import { watch } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Cluster } from '../cluster.ts';
import { loadCluster } from '../kubeconfig/kubeconfig.ts';
import { kubeConfigOf, openFolder } from '../../testing/kubeconfig.test-support.ts';
import { rejection } from '../../testing/recording-server.test-support.ts';

const expired = { 'access-token': 'old', expiry: '2001-01-01T00:00:00Z' };

function load(config: object, name = 'gcp', pluginTimeout?: number): Promise<Cluster> {
  const kubeConfig = kubeConfigOf({ 'auth-provider': { name, config } });
  return loadCluster({ kubeConfig, pluginTimeout });
}

async function fetchFrom(cluster: Cluster, force = false): Promise<unknown> {
  return (await cluster.credentials?.({ force }))?.headers?.['authorization'];
}

describe.each(['gcp', 'azure'])('the command of an auth-provider %s', (name) => {
  test('receives its arguments and a closed stdin, and does not block the event loop', async () => {
    await using folder = await openFolder();
    const gate = path.join(folder.path, 'gate');
    const changes = watch(folder.path);
    const command = await folder.script(
      'plugin.sh',
      `mkfifo "${gate}"; cat "${gate}" > /dev/null
printf '{"credential":{"t":"%s-%s-%s"}}' "$1" "$2" "$(wc -c | tr -d ' ')"`,
    );
    const config = {
      ...expired,
      'cmd-path': command,
      'cmd-args': ' a  b ',
      'token-key': '{.credential.t}',
    };
    const fetched = fetchFrom(await load(config, name));
    while (!(await once(changes, 'change')).includes('gate'));
    changes.close();
    await folder.file('gate', 'open');
    expect(await fetched).toBe('Bearer a-b-0');
  });

  test('runs again when its token has expired or was refused', async () => {
    await using folder = await openFolder();
    const command = await folder.script('plugin.sh', `cat "$(dirname "$0")/output"`);
    const setOutput = async (token: string, expiry: string): Promise<unknown> =>
      folder.file('output', JSON.stringify({ access_token: token, token_expiry: expiry }));
    const cluster = await load({ ...expired, 'cmd-path': command }, name);
    await setOutput('first', '2001-01-01T00:00:00Z');
    expect(await fetchFrom(cluster)).toBe('Bearer first');
    await setOutput('second', '2126-01-01T00:00:00Z');
    expect(await fetchFrom(cluster)).toBe('Bearer second');
    await setOutput('third', '');
    expect(await fetchFrom(cluster)).toBe('Bearer second');
    expect(await fetchFrom(cluster, true)).toBe('Bearer third');
    await folder.file('output', '');
    await rejection(fetchFrom(cluster, true));
    expect(await fetchFrom(cluster)).toBe('Bearer third');
  });

  test.each([
    [{}, 'printf oops', 'the output is not JSON'],
    [{}, 'printf {}', 'the output has no token at token-key'],
    [{}, `printf '{"access_token":7}'`, 'the output has no token at token-key'],
    [
      { 'token-key': 'access_token' },
      'printf {}',
      'token-key and expiry-key must be paths such as {.access_token}',
    ],
    [{}, 'echo "it failed: $(cat)" >&2; exit 1', 'it failed:'],
    [{}, 'sleep 1000', 'the plugin did not end in time'],
  ])('throws CREDENTIALS_FAILED with %j for %s', async (settings, script, reason) => {
    await using folder = await openFolder();
    const command = await folder.script('plugin.sh', script);
    const cluster = await load({ ...expired, 'cmd-path': command, ...settings }, name, 300);
    expect(await rejection(fetchFrom(cluster))).toMatchObject({
      code: 'CREDENTIALS_FAILED',
      facts: { kind: name, reason },
    });
  });

  test('is required for a token that has expired', async () => {
    expect(await rejection(fetchFrom(await load(expired, name)))).toMatchObject({
      facts: { reason: 'the token has expired and cmd-path is missing' },
    });
  });
});
