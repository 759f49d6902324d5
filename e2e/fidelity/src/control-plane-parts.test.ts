import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { differences, namesIn, readControlPlaneParts } from './control-plane-parts.ts';
import { differencesPage, renderParts } from './differences-page.ts';

describe('the parts of a control plane', () => {
  test('are in docs/apiserver-differences.md, with their built and missing features', async () => {
    const page = await readFile(differencesPage, 'utf8');
    const parts = await readControlPlaneParts();
    expect(page).toContain(renderParts(parts));
    for (const name of ['ServiceAccount', 'deployment-controller']) expect(page).toContain(name);
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
