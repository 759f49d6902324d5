import { expect, test } from '@jest/globals';
import { chart } from './chart.ts';

test('draws a panel for each figure and a line for each process', () => {
  const svg = chart(
    [
      {
        title: 'heap, MB',
        lines: [
          {
            name: 'a',
            points: [
              [0, 0],
              [10, 20],
            ],
          },
          { name: '<b>', points: [[5, 10]] },
        ],
      },
      { title: 'sockets', lines: [] },
    ],
    'minutes',
  );
  expect(svg.match(/<polyline/g)).toHaveLength(2);
  // From the lower left to the upper right corner of the panel.
  expect(svg).toContain('points="60.0,102.0 885.0,22.0"');
  expect(svg).toContain('points="472.5,62.0"');
  expect(svg).toContain('&lt;b>');
  for (const text of ['>heap, MB<', '>sockets<', '>minutes<', '>20<', '>10<']) {
    expect(svg).toContain(text);
  }
});
