import { expect, test } from '@jest/globals';
import { startExample } from '@keelson/example-support';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

test('a Deployment becomes available on three nodes, and a Pod that crashes waits', async () => {
  await using example = await startExample({ definitions: [], createOperator });
  const lines: string[] = [];
  await tour(example.client, (line) => lines.push(line));
  expect(lines).toEqual([
    'created Deployment web with 3 replicas',
    'Deployment web has 3 available replicas',
    'its Pods are on node-1, node-2, node-3',
    'Pod broken: back-off 10s restarting failed',
  ]);
});
