import { describe, expect, test } from '@jest/globals';
import { renderChecks } from './check.ts';

describe('renderChecks', () => {
  const met = { what: 'Shops', expected: '3', actual: '3' };

  test('passes for a correct result', () => {
    expect(renderChecks([met])).toEqual(['  ✓ Shops: 3', '', 'all 1 checks hold']);
  });

  test('names each wrong result', () => {
    const lines = renderChecks([met, { what: 'Services', expected: '3', actual: '2' }]);
    expect(lines.slice(1)).toEqual(['  ✗ Services: 2, expected 3', '', '1 checks FAILED']);
  });
});
