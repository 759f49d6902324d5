import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { placeOf, readEquivalents } from './equivalents.ts';

const root = new URL('../../../', import.meta.url);

describe('data/equivalents.json', () => {
  test.each(readEquivalents())('names one place: $file, $line', (entry) => {
    const text = readFileSync(new URL(entry.file, root), 'utf8');
    const lines = text.split('\n');
    const { within, line } = entry;
    const places = lines.filter((_, at) => {
      const place = placeOf(lines, at);
      return place.within === within && place.line === line;
    });
    expect(places).toHaveLength(1);
    expect(text).toContain(entry.original);
  });
});
