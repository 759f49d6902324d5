import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SpecCluster } from './cluster.ts';
import { compileSpecs } from './compile-specs.ts';
import { runSpecs } from './run-specs.ts';
import { specFiles, skipped } from './spec-files.ts';

let cluster: SpecCluster;
let program: string;

beforeAll(async () => {
  program = await compileSpecs();
  cluster = await SpecCluster.start();
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

describe("Kubernetes' own end-to-end specs pass, unpatched", () => {
  const skip = skipped.map(({ name }) => name).join('|');
  test.each(specFiles)('%s: %i specs', async (file, specs) => {
    const result = await runSpecs(program, cluster.kubeconfig, { file, skip });
    expect(result).toEqual({ passed: specs, failed: [] });
  });
});
