import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const command = fileURLToPath(new URL('../../bin/keelson.js', import.meta.url));

test('the process of keelson names the version that it needs to an older Node.js', async () => {
  const older =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.18.0" } })';
  const options = ['--import', `data:text/javascript,${encodeURIComponent(older)}`];
  const child = spawn(process.execPath, [...options, command, 'doctor']);
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect({ err, code }).toEqual({
    err: 'error: keelson needs Node.js 22.19 or newer, and this is 22.18.0\n',
    code: 1,
  });
});
