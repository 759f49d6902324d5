import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { differences, namesIn, readControlPlaneParts } from './control-plane-parts.ts';
import { differencesPage, renderParts } from './differences-page.ts';

const defaultPlugins = new URL(
  '../../../packages/toolkit/apiserver/src/server/default-plugins.ts',
  import.meta.url,
);

describe('the parts of a control plane', () => {
  test('are in docs/apiserver-differences.md, with their built and missing features', async () => {
    const page = await readFile(differencesPage, 'utf8');
    const parts = await readControlPlaneParts();
    expect(page).toContain(renderParts(parts));
    for (const name of ['ServiceAccount', 'deployment-controller']) expect(page).toContain(name);
  });

  test('that are listed as missing have no plugin in the server', async () => {
    const { admissionPlugins } = await readControlPlaneParts();
    const source = await readFile(defaultPlugins, 'utf8');
    const created = new Set([...source.matchAll(/^ {4}(\w+)\(/gm)].map(([, name]) => name));
    expect(created.size).toBeGreaterThan(5);
    const missing = admissionPlugins.filter((part) => part.missing !== undefined);
    const names = missing.map(({ name }) => name.charAt(0).toLowerCase() + name.slice(1));
    expect(names.filter((name) => created.has(name))).toEqual([]);
  });

  test('that are not listed, or do not exist, are reported', () => {
    const names = namesIn('default enabled ones (A, B).', /default enabled ones \(([^)]+)\)/);
    expect(
      differences(
        [
          { name: 'A', built: 'x' },
          { name: 'C', missing: 'y' },
        ],
        names,
      ),
    ).toEqual(['B is not listed', 'C does not exist']);
  });
});
