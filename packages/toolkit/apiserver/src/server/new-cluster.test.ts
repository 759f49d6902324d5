import { describe, expect, test } from '@jest/globals';
import { readDataFile } from '../data-file.ts';
import { writtenCluster } from './written-cluster.test-support.ts';

describe('The objects of a new cluster', () => {
  test('are those that the writer of the server stores, see `npm run data:cluster`', () => {
    const recorded = readDataFile('new-cluster.jsonl').toString();
    expect(recorded.split('\n').map(parsed)).toEqual(writtenCluster().split('\n').map(parsed));
  });
});

/** Parses a line, so that a difference is shown by object. */
function parsed(line: string): unknown {
  return line === '' ? undefined : JSON.parse(line);
}
