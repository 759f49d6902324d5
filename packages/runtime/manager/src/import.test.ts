import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

/** Returns every module that this code loads in a process of its own, those inside Node.js included. */
async function loadedBy(code: string): Promise<readonly string[]> {
  const program = `
import { createRequire, registerHooks } from 'node:module';

const loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
${code}
const required = Object.keys(createRequire(import.meta.url).cache);
console.log(JSON.stringify([...loaded, ...required, ...process.moduleLoadList]));
`;
  const args = ['--conditions=@keelson/source', '--input-type=module', '--eval', program];
  // Without the bundles of the tests, in which a package is one module.
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const cwd = import.meta.dirname;
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env });
  return JSON.parse(stdout) as string[];
}

test('an import of the manager loads no module that takes long and that not every operator needs', async () => {
  const loaded = await loadedBy("await import('@keelson/manager');");
  expect(loaded.length).toBeGreaterThan(300);
  // In this order: Node's fetch, the HTTP client of the first request, all of prom-client, kubeconfigs, certificates.
  const late =
    /internal\/deps\/undici|node_modules\/undici|opentelemetry|@kubernetes\/client-node|selfsigned|@peculiar\//;
  // Modules of Node.js that `process.getBuiltinModule` loads when they are needed. The last one is loaded by
  // `import 'node:util'`, which reads each export of the module.
  const lateBuiltin = /^NativeModule (crypto|tls|https?|http2|zlib|internal\/util\/diff)$/;
  expect(loaded.filter((name) => late.test(name) || lateBuiltin.test(name))).toEqual([]);
});

test('the metrics of the process load neither the main module of prom-client nor OpenTelemetry', async () => {
  const loaded = await loadedBy(`
const { MetricRegistry } = await import('./metrics/process/metric-registry.ts');
const { shareProcessMetrics } = await import('./metrics/process/process-metrics.ts');
(await shareProcessMetrics(new MetricRegistry()))();
`);
  expect(loaded.some((name) => name.endsWith('prom-client/lib/gauge.js'))).toBe(true);
  const needless = /prom-client\/index\.js|opentelemetry|^NativeModule (cluster|https?)$/;
  expect(loaded.filter((name) => needless.test(name))).toEqual([]);
});
