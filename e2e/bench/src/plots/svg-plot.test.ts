import { describe, expect, test } from '@jest/globals';
import { compact, renderPlot, type Plot } from './svg-plot.ts';

const plot: Plot = {
  title: 'Cost of <one> object',
  x: 'objects',
  y: 'µs',
  series: [
    {
      name: 'first',
      points: [
        { x: 10, y: 50 },
        { x: 100, y: 100 },
        { x: 1000, y: 90 },
      ],
    },
    {
      name: 'second',
      points: [
        { x: 10, y: 20 },
        { x: 1000, y: 91 },
      ],
    },
  ],
};

/** The text elements of an image: their words with x and y. */
function textsOf(svg: string): readonly { words: string; x: number; y: number }[] {
  return [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</g)].map(
    ([, x, y, words = '']) => ({ words, x: Number(x), y: Number(y) }),
  );
}

function dotsOf(svg: string): readonly (readonly [number, number])[] {
  return [...svg.matchAll(/cx="([\d.]+)" cy="([\d.]+)"/g)].map(
    ([, x, y]) => [Number(x), Number(y)] as const,
  );
}

describe('renderPlot', () => {
  test('puts equal factors of x at equal distances, and y in proportion from zero', () => {
    const svg = renderPlot(plot);
    const [first, second, third] = dotsOf(svg) as [
      [number, number],
      [number, number],
      [number, number],
    ];
    expect(second[0] - first[0]).toBeCloseTo(third[0] - second[0], 0);
    const zero = (textsOf(svg).find(({ words }) => words === '0')?.y ?? NaN) - 4;
    expect((zero - first[1]) * 2).toBeCloseTo(zero - second[1], 0);
  });

  test('puts equal factors of y at equal distances on a logarithmic axis', () => {
    const series = [{ name: 'all', points: [1, 10, 100].map((n) => ({ x: n, y: n })) }];
    const [first, second, third] = dotsOf(renderPlot({ ...plot, isLogarithmic: true, series }));
    expect((first?.[1] ?? NaN) - (second?.[1] ?? NaN)).toBeCloseTo(
      (second?.[1] ?? NaN) - (third?.[1] ?? NaN),
      0,
    );
  });

  test('names each series at its last point, without overlap', () => {
    const texts = textsOf(renderPlot(plot));
    const [first, second] = ['first', 'second'].map((name) =>
      texts.find(({ words }) => words === name),
    );
    expect(Math.abs((first?.y ?? 0) - (second?.y ?? 0))).toBeGreaterThanOrEqual(16);
  });

  test('escapes its words, and has colours for light and dark pages', () => {
    const svg = renderPlot(plot);
    expect(svg).toContain('<title>Cost of &lt;one> object</title>');
    expect(svg).toContain('prefers-color-scheme: dark');
    expect(svg.length).toBeLessThan(6000);
  });

  test('shortens large figures', () => {
    expect([500, 1000, 20_000, 1_500_000].map(compact)).toEqual(['500', '1000', '20 k', '1.5 M']);
  });
});
