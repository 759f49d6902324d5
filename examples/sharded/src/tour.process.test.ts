import { expect, test } from '@jest/globals';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/manager';
import { tour } from './tour.ts';

test('replicas share the objects while others join, leave, are killed and suspended', async () => {
  const server = await createApiServer();
  const client = createClient({ cluster: { server: server.url } });
  try {
    const lines: string[] = [];
    const { runs, overlaps, suspended } = await tour(server.url, client, (line) =>
      lines.push(line),
    );
    expect(overlaps).toEqual([]);
    expect(suspended).toBe('SHARDS_LOST');
    expect(runs).toBeGreaterThan(60);
    expect(lines).toHaveLength(10);
  } finally {
    await client.close();
    await server.close();
  }
}, 180_000);
