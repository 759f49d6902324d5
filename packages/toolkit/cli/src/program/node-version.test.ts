import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

test('the process of keelson names the version of package.json to an older Node.js', async () => {
  const older =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.18.0" } })';
  const options = ['--import', `data:text/javascript,${encodeURIComponent(older)}`];
  const child = spawn(process.execPath, [...options, fileOf('../../bin/keelson.js'), 'doctor']);
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  const { engines } = JSON.parse(await readFile(fileOf('../../package.json'), 'utf8')) as {
    engines: { node: string };
  };
  const oldest = engines.node.replace('>=', '');
  expect({ err, code }).toEqual({
    err: `error: keelson needs Node.js ${oldest} or newer, and this is 22.18.0\n`,
    code: 1,
  });
});
