import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

/** Prints every module that an import of the manager loads, those inside Node.js included. */
const program = `
import { registerHooks } from 'node:module';

const loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
await import('@keelson/manager');
console.log(JSON.stringify([...loaded, ...process.moduleLoadList]));
`;

test('an import of the manager loads no module that takes long and that not every operator needs', async () => {
  const args = ['--conditions=@keelson/source', '--input-type=module', '--eval', program];
  // Without the bundles of the tests, in which a package is one module.
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const cwd = import.meta.dirname;
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env });
  const loaded = JSON.parse(stdout) as string[];
  expect(loaded.length).toBeGreaterThan(300);
  // In this order: Node's fetch, the HTTP client of the first request, all of prom-client, kubeconfigs, certificates.
  const late =
    /internal\/deps\/undici|node_modules\/undici|opentelemetry|@kubernetes\/client-node|selfsigned|@peculiar\//;
  expect(loaded.filter((name) => late.test(name))).toEqual([]);
});
