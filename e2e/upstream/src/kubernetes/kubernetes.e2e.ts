import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildBinaries, cacheFolder } from '@keelson/e2e-control-plane';
import { ControlledCluster } from './cluster.ts';
import { compileSpecs } from './compile-specs.ts';
import { runSpecs } from './run-specs.ts';
import { serverOf } from './server-of.ts';
import { specFiles, skipped } from './spec-files.ts';

let cluster: ControlledCluster;
let program: string;
let kubectl: string;

beforeAll(async () => {
  program = await compileSpecs();
  const folder = await cacheFolder(process.env);
  ({ kubectl } = await buildBinaries({ binaries: ['kubectl'], folder, onProgress: console.error }));
  cluster = await ControlledCluster.start(serverOf(process.env));
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

describe("Kubernetes' own end-to-end specs pass, unpatched", () => {
  const skip = skipped.map(({ name }) => name).join('|');
  test.each(specFiles)('$file: $specs specs', async ({ file, specs, only = '' }) => {
    const { kubeconfig } = cluster;
    const result = await runSpecs({ program, kubectl, kubeconfig, file, only, skip });
    expect(result).toEqual({ passed: specs, failed: [] });
  });
});
