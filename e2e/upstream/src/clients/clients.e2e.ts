import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildBinaries, cacheFolder } from '@keelson/e2e-control-plane';
import { ControlledCluster } from '../kubernetes/cluster.ts';
import { serverOf } from '../kubernetes/server-of.ts';
import { kubeRs, pythonSuites } from './client-suites.ts';
import { runIgnoredTests } from './kube-rs.ts';
import { runPytest } from './run-pytest.ts';

/** Folders that `npm run e2e:upstream` prepared, empty without the language or its registry. */
const { KEELSON_UPSTREAM_PYTHON = '', KEELSON_UPSTREAM_KUBE_RS = '' } = process.env;

const withPython = KEELSON_UPSTREAM_PYTHON === '' ? describe.skip : describe;
const withRust = KEELSON_UPSTREAM_KUBE_RS === '' ? describe.skip : describe;

let cluster: ControlledCluster;
let kubectl: string;

beforeAll(async () => {
  const folder = await cacheFolder(process.env);
  ({ kubectl } = await buildBinaries({ binaries: ['kubectl'], folder, onProgress: console.error }));
  cluster = await ControlledCluster.start(serverOf(process.env));
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

withPython('the tests of Python clients that need a server pass, unpatched', () => {
  test.each(pythonSuites)('$name: $passes tests', async (suite) => {
    const { kubeconfig } = cluster;
    const environment = KEELSON_UPSTREAM_PYTHON;
    const result = await runPytest(suite, { environment, kubeconfig, kubectl });
    expect(result).toEqual({ passed: suite.passes, failed: [] });
  });
});

withRust('the tests of kube-rs that need a server pass, unpatched', () => {
  test(`${kubeRs.name}: ${String(kubeRs.passes)} tests`, async () => {
    const folder = KEELSON_UPSTREAM_KUBE_RS;
    const result = await runIgnoredTests(kubeRs, { folder, kubeconfig: cluster.kubeconfig });
    expect(result).toEqual({ passed: kubeRs.passes, failed: [] });
  });
});
