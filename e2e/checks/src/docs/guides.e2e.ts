import { mkdtemp, mkdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GuideReader } from './guide-reader.ts';
import { guideSteps } from './guide-step.ts';
import { PackedRegistry } from '@keelson/e2e-runtimes';
import { followedGuides } from './pages.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

describe('a guide whose steps are followed exactly', () => {
  let folder: string;
  let registry: PackedRegistry;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-guides-'));
    registry = await PackedRegistry.create(root, folder);
  });

  afterAll(async () => {
    await registry?.[Symbol.asyncDispose](); // undefined if packing failed
    await rm(folder, { recursive: true });
  });

  test.each(followedGuides)('%s', async (guide) => {
    const steps = guideSteps(await readFile(join(root, guide), 'utf8'));
    expect(steps.length).toBeGreaterThan(5);
    const empty = join(folder, guide);
    await mkdir(empty, { recursive: true });
    const reader = await GuideReader.create(empty, root, registry.url);
    for (const step of steps) await reader.follow(step);
  });
});
