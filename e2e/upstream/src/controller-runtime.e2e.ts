import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { goTest } from './go-test.ts';

/**
 * Packages of controller-runtime with the number of their specs. The sample takes the quick ones. `client/apiutil` is missing: it
 * downloads other versions of kube-apiserver.
 */
const suites: readonly [name: string, specs: number, inSample: boolean][] = [
  ['builder', 72, false],
  ['cache', 276, false],
  ['client', 296, false],
  ['client/config', 10, false],
  ['cluster', 15, false],
  ['controller', 32, false],
  ['controller/controllerutil', 60, true],
  ['envtest', 28, true],
  ['finalizer', 9, true],
  ['handler', 96, false],
  ['internal/controller', 75, false],
  ['internal/recorder', 5, false],
  ['manager', 106, false],
  ['manager/internal/integration', 2, false],
  ['metrics/filters', 2, false],
  ['reconcile', 9, false],
  ['source', 19, true],
];

/**
 * The specs of the package `webhook`, by expressions for their names. Three of them listen on one port in turn, and none
 * waits until the server of the last one has left it: each has a process of its own here.
 */
const webhookSpecs: readonly [focus: string, specs: number][] = [
  ['Webhook Server', 5],
  ['with a manager should reject create request for webhook', 1],
  ['with a manager should reject create request for multi-webhook', 1],
  ['without a manager', 1],
];

const { KEELSON_UPSTREAM, KEELSON_UPSTREAM_ASSETS = '' } = process.env;
const program = fileURLToPath(
  new URL('../../../packages/toolkit/apiserver/src/cli/bin.ts', import.meta.url),
);
let assets: string;

beforeAll(async () => {
  assets = KEELSON_UPSTREAM_ASSETS;
  if (assets !== '') return;
  assets = await mkdtemp(join(tmpdir(), 'keelson-upstream-'));
  const args = ['--conditions=@keelson/source', program, 'assets', assets];
  await promisify(execFile)(process.execPath, args);
});

afterAll(async () => {
  if (KEELSON_UPSTREAM_ASSETS === '') await rm(assets, { recursive: true });
});

describe("controller-runtime's own tests pass, unpatched", () => {
  const chosen = suites.filter(([, , inSample]) => inSample || KEELSON_UPSTREAM === 'whole');
  test.each(chosen)('%s: %i specs', async (name, specs) => {
    const result = await goTest(`sigs.k8s.io/controller-runtime/pkg/${name}`, assets);
    expect(result).toEqual({ passed: specs, failed: 0, problem: undefined });
  });

  const chosenOfWebhook = KEELSON_UPSTREAM === 'whole' ? webhookSpecs : webhookSpecs.slice(-1);
  test.each(chosenOfWebhook)('webhook, "%s": %i specs', async (focus, specs) => {
    const result = await goTest('sigs.k8s.io/controller-runtime/pkg/webhook', assets, focus);
    expect(result).toEqual({ passed: specs, failed: 0, problem: undefined });
  });
});
