import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';

/** Loads undici in a process of its own; prints the files of undici that were loaded, and what is the same as in all of it. */
const program = `
import { createRequire } from 'node:module';

const load = (await import(process.argv[1]))[process.argv[2]];
const parts = await load();
const require = createRequire(process.argv[1]);
const files = Object.keys(require.cache).flatMap((file) => file.split('/node_modules/undici/').slice(1));
const methods = ['connect', 'request'].filter((name) => name in (parts.Pool?.prototype ?? {}));
const whole = require('undici');
const same = Object.keys(parts).filter((name) => parts[name] === whole[name]);
console.log(JSON.stringify({ files, same, methods }));
`;

interface Loaded {
  readonly files: readonly string[];
  readonly same: readonly string[];
  readonly methods: readonly string[];
}

async function load(name: 'loadConnector' | 'loadPools' | 'loadUndici'): Promise<Loaded> {
  const args = ['--input-type=module', '--eval', program];
  const file = new URL('load-undici.ts', import.meta.url).href;
  const { stdout } = await promisify(execFile)(process.execPath, [...args, file, name]);
  return JSON.parse(stdout) as Loaded;
}

const pools = ['DecoratorHandler', 'Pool', 'buildConnector', 'errors'];
const used = ['Agent', 'ProxyAgent', 'Socks5ProxyAgent', ...pools];

describe('undici', () => {
  test('is loaded without fetch, WebSocket, caches and mocks', async () => {
    const { files, same, methods } = await load('loadUndici');
    expect(same).toEqual(used);
    expect(methods).toEqual(['connect', 'request']);
    expect(files).toContain('lib/dispatcher/pool.js');
    const needless = /index\.js$|web\/fetch\/index|websocket|eventsource|mock|lib\/cache/;
    expect(files.filter((file) => file !== 'lib/api/index.js' && needless.test(file))).toEqual([]);
  });

  test('is loaded without its proxies and its methods of requests for a target without a proxy', async () => {
    const { files, same, methods } = await load('loadPools');
    expect(same).toEqual(pools);
    expect(methods).toEqual([]);
    expect(files).toContain('lib/dispatcher/pool.js');
    expect(files.filter((file) => /proxy|socks|agent|lib\/api/.test(file))).toEqual([]);
  });

  test('is loaded without its pools for a connection over HTTP/2', async () => {
    const { files, same } = await load('loadConnector');
    expect(same).toEqual(['buildConnector', 'errors']);
    expect(files).toContain('lib/core/connect.js');
    expect(files.filter((file) => file.startsWith('lib/dispatcher/'))).toEqual([]);
  });
});
