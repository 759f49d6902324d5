import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { clientCertificate, otherCertificate } from '../../testing/certificates.test-support.ts';
import type { Cluster } from '../cluster.ts';
import { createClient } from '../../verbs/create-client.ts';
import { loadCluster, type ClusterSource } from '../kubeconfig/kubeconfig.ts';
import { kubeConfigOf, openFolder, type Folder } from '../../testing/kubeconfig.test-support.ts';
import {
  json,
  rejection,
  startServer,
  status,
} from '../../testing/recording-server.test-support.ts';

const node = { name: 'a' };

function load(exec: object, source: ClusterSource = {}, server?: string): Promise<Cluster> {
  const cluster = server === undefined ? {} : { server };
  return loadCluster({ kubeConfig: kubeConfigOf({ exec }, cluster), ...source });
}

async function fetchFrom(cluster: Cluster, force = false): Promise<unknown> {
  return (await cluster.credentials?.({ force }))?.headers?.['authorization'];
}

async function failureOf(exec: object, source: ClusterSource = {}): Promise<Error> {
  return rejection(fetchFrom(await load(exec, source)));
}

/**
 * Resolves when a file of the folder exists and contains a whole line. It reads synchronously, so that no change can be
 * reported between the read and the wait.
 */
async function lineOf(folder: Folder, name: string): Promise<string> {
  const file = path.join(folder.path, name);
  const changes = watch(folder.path);
  try {
    for (;;) {
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
      if (text.endsWith('\n')) return text.trim();
      await once(changes, 'change');
    }
  } finally {
    changes.close();
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function ended(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise((resolve) => setImmediate(resolve));
}

/** A script that starts a child, writes both process ids and never ends. */
const stuck = 'sleep 1000 & echo "$$ $!" > "$(dirname "$0")/pids"; wait';

async function pidsOf(folder: Folder): Promise<number[]> {
  return (await lineOf(folder, 'pids')).split(' ').map(Number);
}

describe('an exec plugin', () => {
  test('has a closed stdin', async () => {
    await using folder = await openFolder();
    const command = await folder.script(
      'plugin.sh',
      `printf '{"status":{"token":"%s"}}' "stdin-$(wc -c | tr -d ' ')"`,
    );
    expect(await fetchFrom(await load({ command }))).toBe('Bearer stdin-0');
  });

  test('is killed after its time limit, with its children', async () => {
    await using folder = await openFolder();
    const command = await folder.script('plugin.sh', stuck);
    const cluster = await load({ command }, { pluginTimeout: 300 });
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const failed = rejection(fetchFrom(cluster));
    const pids = await pidsOf(folder);
    await jest.advanceTimersByTimeAsync(300);
    jest.useRealTimers();
    expect(await failed).toMatchObject({
      code: 'CREDENTIALS_FAILED',
      facts: { kind: 'exec', command, reason: 'the plugin did not end in time', timeout: 300 },
    });
    for (const pid of pids) await ended(pid);
  });

  test('is killed when the fetch is aborted, which rejects with the reason', async () => {
    await using folder = await openFolder();
    const cluster = await load({ command: await folder.script('plugin.sh', stuck) });
    const stop = new AbortController();
    const fetched = cluster.credentials?.({ force: false, signal: stop.signal });
    const pids = await pidsOf(folder);
    stop.abort(new Error('enough'));
    await expect(fetched).rejects.toThrow('enough');
    for (const pid of pids) await ended(pid);
  });

  test('is killed by close(), and the request is rejected', async () => {
    await using folder = await openFolder();
    const command = await folder.script('plugin.sh', stuck);
    const client = createClient({ cluster: await load({ command }) });
    const request = rejection(client.get(builtin.Node, node));
    const pids = await pidsOf(folder);
    await client.close();
    expect(await request).toMatchObject({ code: 'CLIENT_CLOSED' });
    for (const pid of pids) await ended(pid);
  });

  test('is not killed when one request is aborted, because other requests wait for it too', async () => {
    await using folder = await openFolder();
    await using server = await startServer((_request, response) =>
      json(response, { metadata: {} }),
    );
    const gate = path.join(folder.path, 'gate');
    const command = await folder.script(
      'plugin.sh',
      `mkfifo "${gate}"; echo > "${folder.path}/started"; cat "${gate}" > /dev/null; printf '{"status":{"token":"t"}}'`,
    );
    await using client = createClient({ cluster: await load({ command }, {}, server.url) });
    const stop = new AbortController();
    const aborted = rejection(client.get(builtin.Node, node, { signal: stop.signal }));
    const other = client.get(builtin.Node, node);
    await lineOf(folder, 'started');
    stop.abort(new Error('enough'));
    expect((await aborted).message).toBe('enough');
    await folder.file('gate', 'open');
    await other;
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer t']);
  });

  const { cert } = clientCertificate;
  const other = JSON.stringify({
    clientCertificateData: cert,
    clientKeyData: otherCertificate.key,
  });
  const v1 = 'client.authentication.k8s.io/v1';

  test.each([
    ['nothing', '', 'the output is not JSON'],
    ['a string', 'oops', 'the output is not JSON'],
    ['null', 'null', 'the output is not an ExecCredential'],
    ['a list', '[]', 'the output is not an ExecCredential'],
    ['no status', '{}', 'the output has no status'],
    ['an empty status', '{"status":{}}', 'the output has neither a token nor a certificate'],
    [
      'an empty token',
      '{"status":{"token":""}}',
      'the output has neither a token nor a certificate',
    ],
    ['a number as token', '{"status":{"token":7}}', 'status.token is not a string of one line'],
    [
      'a token of two lines',
      '{"status":{"token":"a\\\\nb"}}',
      'status.token is not a string of one line',
    ],
    [
      'a certificate without its key',
      `{"status":{"clientCertificateData":"x"}}`,
      'the output has a certificate without its key, or a key without its certificate',
    ],
    [
      'an invalid certificate',
      '{"status":{"clientCertificateData":"x","clientKeyData":"y"}}',
      'the certificate or its key is invalid, or they do not belong together',
    ],
    [
      'a certificate and the key of another',
      `{"status":${other}}`,
      'the certificate or its key is invalid, or they do not belong together',
    ],
    [
      'an invalid expiry',
      '{"status":{"token":"t","expirationTimestamp":"soon"}}',
      'status.expirationTimestamp is not a time',
    ],
    [
      'another version of the protocol',
      '{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","status":{"token":"t"}}',
      'the output is of another apiVersion than the kubeconfig names',
    ],
    [
      'another kind',
      `{"apiVersion":"${v1}","kind":"Pod","status":{"token":"t"}}`,
      'the output is not an ExecCredential',
    ],
  ])('that prints %s is refused, and runs again', async (_what, output, reason) => {
    await using folder = await openFolder();
    await folder.file('output', output.replaceAll('\\\\', '\\'));
    const command = await folder.script('plugin.sh', `cat "$(dirname "$0")/output"`);
    const cluster = await load({ apiVersion: v1, command });
    expect(await rejection(fetchFrom(cluster))).toMatchObject({
      code: 'CREDENTIALS_FAILED',
      facts: { user: 'u', kind: 'exec', command, reason },
    });
    await folder.file('output', `{"status":{"token":"good"}}`);
    expect(await fetchFrom(cluster)).toBe('Bearer good');
  });

  test('runs again when its credentials have expired, and not earlier', async () => {
    await using folder = await openFolder();
    const outputOf = (token: string, seconds: number): string =>
      JSON.stringify({
        status: { token, expirationTimestamp: new Date(Date.now() + seconds * 1000) },
      });
    const command = await folder.script('plugin.sh', `cat "$(dirname "$0")/output"`);
    const cluster = await load({ command });
    await folder.file('output', outputOf('past', -1));
    expect(await fetchFrom(cluster)).toBe('Bearer past');
    await folder.file('output', outputOf('valid', 1000));
    expect(await fetchFrom(cluster)).toBe('Bearer valid');
    await folder.file('output', outputOf('later', 1000));
    expect(await fetchFrom(cluster)).toBe('Bearer valid');
    expect(await fetchFrom(cluster, true)).toBe('Bearer later');
  });

  test('that fails during a refresh does not invalidate the previous credentials', async () => {
    await using folder = await openFolder();
    const command = await folder.script('plugin.sh', `cat "$(dirname "$0")/output"`);
    const cluster = await load({ command });
    await folder.file('output', `{"status":{"token":"good"}}`);
    expect(await fetchFrom(cluster)).toBe('Bearer good');
    await folder.file('output', '');
    await rejection(fetchFrom(cluster, true));
    expect(await fetchFrom(cluster)).toBe('Bearer good');
  });

  test('that prints endless output is killed', async () => {
    await using folder = await openFolder();
    const command = await folder.script('plugin.sh', `yes '{"status":'`);
    expect(await failureOf({ command })).toMatchObject({
      facts: { reason: 'the output is too long' },
    });
  });

  test('that prints much on stderr does not block', async () => {
    await using folder = await openFolder();
    const command = await folder.script(
      'plugin.sh',
      `yes complaint | head -c 4000000 >&2; printf '{"status":{"token":"t"}}'`,
    );
    expect(await fetchFrom(await load({ command }))).toBe('Bearer t');
  });

  test('that exits before its output is read loses no output', async () => {
    await using folder = await openFolder();
    const token = 'a'.repeat(100_000);
    await folder.file('output', JSON.stringify({ status: { token } }));
    const command = await folder.script(
      'plugin.sh',
      `cat "$(dirname "$0")/output"; echo $$ > "$(dirname "$0")/pid"`,
    );
    const cluster = await load({ command });
    const fetched = fetchFrom(cluster);
    // Blocks the event loop until the plugin has exited.
    await new Promise((resolve) => setImmediate(resolve));
    for (const pid = path.join(folder.path, 'pid'); !existsSync(pid););
    for (const until = performance.now() + 50; performance.now() < until;);
    expect(await fetched).toBe(`Bearer ${token}`);
  });

  test('is killed when the process of the client exits', async () => {
    await using folder = await openFolder();
    const command = await folder.script('plugin.sh', stuck);
    const door = JSON.stringify(fileURLToPath(new URL('../../index.ts', import.meta.url)));
    const script = `
      const { loadCluster } = await import(${door});
      const cluster = await loadCluster({ kubeConfig: process.env.KUBE_CONFIG_TEXT });
      cluster.credentials({ force: false });
      process.stdin.once('data', () => process.exit(0));`;
    const flags = ['--conditions=@keelson/source', '--input-type=module', '-e', script];
    const env = { ...process.env, KUBE_CONFIG_TEXT: kubeConfigOf({ exec: { command } }) };
    const child = spawn(process.execPath, flags, { env, stdio: ['pipe', 'ignore', 'inherit'] });
    const exited = once(child, 'exit');
    const pids = await pidsOf(folder);
    child.stdin?.write('end');
    await exited;
    for (const pid of pids) await ended(pid);
  });

  test('that requires a terminal is not started', async () => {
    expect(await failureOf({ command: 'true', interactiveMode: 'Always' })).toMatchObject({
      facts: { reason: 'the plugin needs a terminal (interactiveMode=Always)' },
    });
  });

  test('that leaves a child with its output open does not delay the result', async () => {
    await using folder = await openFolder();
    const command = await folder.script(
      'plugin.sh',
      `sleep 1000 & echo "$$ $!" > "$(dirname "$0")/pids"; printf '{"status":{"token":"t"}}'`,
    );
    expect(await fetchFrom(await load({ command }))).toBe('Bearer t');
    for (const pid of await pidsOf(folder)) await ended(pid);
  });
});

describe('stderr of a plugin that fails', () => {
  const secrets = {
    'an AWS secret key': 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'an AWS key id': 'AKIAIOSFODNN7EXAMPLE',
    'a JSON web token': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r_wW1g',
    base64: 'c2VjcmV0LXNlY3JldC1zZWNyZXQ=',
    hexadecimal: 'deadbeefcafe0123456789abcdef',
    'a UUID': '123e4567-e89b-42d3-a456-426614174000',
    'a short password with digits': 'hunter2',
    'a password with punctuation': 'pa$$w0rd!',
    'a passphrase in words': 'correct-horse-battery-staple',
    'a long word': 'kqzjxwvbnmtrlphgfdsaqwertyuiop',
  };
  const texts = {
    alone: (secret: string) => secret,
    'in a sentence': (secret: string) => `the token ${secret} has expired`,
    'in quotes': (secret: string) => `invalid "${secret}"`,
    'in a URL': (secret: string) => `GET https://user:${secret}@host/?token=${secret} failed`,
    'after its name': (secret: string) => `password=${secret} token: ${secret}`,
    'on its second line': (secret: string) => `it failed\n${secret}`,
  };
  const cases = Object.entries(secrets).flatMap(([what, secret]) =>
    Object.entries(texts).map(([where, text]) => [what, where, secret, text(secret)] as const),
  );

  test.each(cases)('does not appear in the error: %s %s', async (_what, _where, secret, text) => {
    await using folder = await openFolder();
    await folder.file('complaint', text);
    const command = await folder.script('plugin.sh', `cat "$(dirname "$0")/complaint" >&2; exit 1`);
    const error = await failureOf({ command });
    const shown = inspect(error, { showHidden: true, depth: Infinity });
    expect(shown + JSON.stringify(error)).not.toContain(secret);
  });

  test.each(['open', 'sesame', 'plain-word'])(
    'is redacted if it contains %p, a value of the kubeconfig',
    async (secret) => {
      await using folder = await openFolder();
      const command = await folder.script('plugin.sh', `echo "it failed with $WORD" >&2; exit 1`);
      const error = await failureOf({ command, env: [{ name: 'WORD', value: secret }] });
      expect(error).toMatchObject({ facts: { reason: 'it failed with …' } });
    },
  );

  test.each([
    [
      'An error occurred (ExpiredTokenException) when calling the GetCallerIdentity operation',
      'An error occurred (ExpiredTokenException) when calling the GetCallerIdentity operation',
    ],
    ['exec: /usr/local/bin/aws: not found', 'exec: /usr/local/bin/aws: not found'],
    ['Error: no session; run login 12345678', 'Error: no session; run login …'],
    ['the server responded with status 403', 'the server responded with status 403'],
  ])('is shown if it is harmless: %s', async (text, reason) => {
    await using folder = await openFolder();
    await folder.file('complaint', text);
    const command = await folder.script('plugin.sh', `cat "$(dirname "$0")/complaint" >&2; exit 1`);
    expect(await failureOf({ command })).toMatchObject({ facts: { reason, exitCode: 1 } });
  });
});

describe('a refresh that fails', () => {
  test('does not stop requests while the server accepts the old credentials', async () => {
    await using folder = await openFolder();
    await using server = await startServer((_request, response) =>
      json(response, { metadata: {} }),
    );
    const command = await folder.script('plugin.sh', `cat "$(dirname "$0")/output"`);
    const credential = { token: 'good', expirationTimestamp: new Date(Date.now() - 1000) };
    await folder.file('output', JSON.stringify({ status: credential }));
    await using client = createClient({ cluster: await load({ command }, {}, server.url) });
    await client.get(builtin.Node, node);
    await folder.file('output', '');
    await client.get(builtin.Node, node);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer good',
      'Bearer good',
    ]);
  });

  test('RF45 happens once for 200 refused requests, and each of them rejects with the reason', async () => {
    await using folder = await openFolder();
    await using server = await startServer((_request, response) =>
      status(response, 401, 'Unauthorized'),
    );
    await folder.file('output', `{"status":{"token":"refused"}}`);
    const command = await folder.script(
      'plugin.sh',
      `cd "$(dirname "$0")"; echo run >> runs; cat output; rm output`,
    );
    await using client = createClient({ cluster: await load({ command }, {}, server.url) });
    const errors = await Promise.all(
      Array.from({ length: 200 }, () => rejection(client.get(builtin.Node, node))),
    );
    expect(new Set(errors.map((error) => (error as { code?: string }).code))).toEqual(
      new Set(['CREDENTIALS_FAILED']),
    );
    const runs = await readFile(path.join(folder.path, 'runs'), 'utf8');
    expect(runs.trim().split('\n')).toHaveLength(2);
  });
});
