import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runProgram } from '../program/program.ts';
import { recordingTerminal } from '../terminal/recording-terminal.test-support.ts';

const token = 'sixteen-letters1';
const controller = {
  id: 'web-app',
  state: 'running',
  isPaused: false,
  obstacles: [] as string[],
  ready: 3,
  running: 1,
  concurrency: 4,
  reconciles: 70,
  errors: 2,
};
const watch = {
  resource: 'v1/secrets',
  state: 'forbidden',
  reason: 'the server denies\nlist',
  objects: 5,
  bytes: 2_097_152,
  holders: ['web-app#1: reads Secret'],
};

let folder: string;
let server: Server;
let url: string;
let snapshot: object;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-inspect-'));
  await writeFile(join(folder, 'token'), `${token}\n`);
  snapshot = {
    process: { rssBytes: 1_048_576, uptimeSeconds: 7, loopDelay: { p99: 1.2 } },
    controllers: { set: [controller] },
    watches: { set: [watch] },
  };
  server = createServer(({ url: path = '', headers }, response) => {
    if (headers['x-keelson-token'] !== token) {
      response.writeHead(401).end('unauthorized\n');
    } else if (path === '/debug/inspector/snapshot') response.end(JSON.stringify(snapshot));
    else if (path === '/debug/explain') {
      const watches = [{ source: 'for WebApp of west' }, { source: 'for WebApp of east' }];
      response.end(JSON.stringify([{ controller: 'web-app', kind: 'WebApp', watches }]));
    } else response.end(`explained ${path}\n`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
});

async function run(
  ...words: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  const { terminal, out, err } = recordingTerminal();
  const code = await runProgram(words, terminal, '1.0.0');
  return { code, out: out(), err: err() };
}

const withToken = (): string[] => ['--url', url, '--token-file', join(folder, 'token')];

describe('keelson inspect', () => {
  test('prints the controllers and the watches, each in one line', async () => {
    const { code, out } = await run('inspect', ...withToken());
    expect(code).toBe(0);
    expect(out).toContain('up 7 s, memory 1.0 MiB, event loop delay p99 1 ms');
    expect(out).toMatch(/^web-app +running +3 +1 of 4 +70 +2$/m);
    expect(out).toMatch(
      /^v1\/secrets +all +forbidden +5 +2\.0 MiB +web-app#1: reads Secret +the server denies list$/m,
    );
  });

  test('fails if a controller has an obstacle, and prints JSON', async () => {
    snapshot = { ...snapshot, controllers: { set: [{ ...controller, obstacles: ['paused'] }] } };
    const { code, out } = await run('inspect', '--json', ...withToken());
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual(snapshot);
  });

  test.each([
    [[], 2, 'give either --url or --pod'],
    [['--url', 'http://127.0.0.1:1', '--pod', 'a'], 2, 'give either --url or --pod'],
    [['--pod', 'a', '--port', '0'], 2, 'port from 1 to 65535'],
    [['--url', 'http://127.0.0.1:1', '--proxy'], 2, '--proxy needs --pod'],
    [['--url', 'nonsense'], 2, "option '--url <address>' argument 'nonsense' is invalid"],
    [['--url', 'ftp://127.0.0.1'], 2, "option '--url <address>'"],
    [['--url', 'http://127.0.0.1:1/#token=a'], 2, 'without a query and a fragment'],
    [['--url', 'http://127.0.0.1:1'], 1, 'DEBUG_SERVER_FAILED'],
    [['--url', 'http://127.0.0.1:1', '--token-file', '/none'], 1, 'SOURCE_UNREADABLE'],
  ])('fails with %j', async (words, expected, text) => {
    const { code, err } = await run('inspect', ...words);
    expect(code).toBe(expected);
    expect(err).toContain(text);
  });

  test('reads a server behind a path', async () => {
    const behind = createServer(({ url: path }, response) => {
      response.end(path === '/a/b/debug/inspector/snapshot' ? JSON.stringify(snapshot) : 'other');
    });
    await once(behind.listen(0, '127.0.0.1'), 'listening');
    const { port } = behind.address() as AddressInfo;
    const { code } = await run('inspect', '--url', `http://127.0.0.1:${port}/a/b/`);
    behind.close();
    expect(code).toBe(0);
  });

  test.each([
    ['<html>login</html>'],
    ['null'],
    ['[{}]'],
    ['{"process":{}}'],
    [JSON.stringify({ process: {}, controllers: { set: [{}] }, watches: { set: [null] } })],
  ])('refuses %j, which no debug server sends, and names the address', async (body) => {
    const { terminal, err } = recordingTerminal();
    const other = createServer((_request, response) => void response.end(body));
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const codes = [
      await runProgram(['inspect', '--url', address], terminal, '1.0.0'),
      await runProgram(['explain', 'web-app', 'a', '--url', address], terminal, '1.0.0'),
    ];
    other.close();
    other.closeAllConnections();
    expect(codes).toEqual([1, 1]);
    const errors = err()
      .split('\n')
      .filter((line) => line.startsWith('error: '));
    for (const path of ['/debug/inspector/snapshot', '/debug/explain']) {
      const expected = `error: DEBUG_SERVER_FAILED: the debug server of the operator cannot be read (url=${address}${path}`;
      expect(errors).toContainEqual(expect.stringContaining(expected));
    }
  });

  test('names the address of a server that breaks off its response', async () => {
    const broken = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{', () => response.destroy());
    });
    await once(broken.listen(0, '127.0.0.1'), 'listening');
    const address = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
    const { code, err } = await run('inspect', '--url', address);
    broken.close();
    expect(code).toBe(1);
    expect(err).toContain(`DEBUG_SERVER_FAILED`);
    expect(err).toContain(`url=${address}`);
  });

  test('names the response to a wrong token', async () => {
    const { code, err } = await run('inspect', '--url', url, '--token', 'wrong');
    expect(code).toBe(1);
    expect(err).toContain('401');
  });
});

describe('keelson explain', () => {
  test.each(['WebApp', 'webapp', 'web-app'])('explains a request of %s', async (kind) => {
    const { code, out } = await run('explain', kind, 'shop/web', ...withToken());
    expect(code).toBe(0);
    expect(out).toContain('explained /debug/explain?controller=web-app&request=shop%2Fweb');
  });

  test('fails for a kind that no controller has', async () => {
    const { code, err } = await run('explain', 'Other', 'a', ...withToken());
    expect(code).toBe(1);
    expect(err).toContain('no controller has this name or kind: Other');
  });
});
