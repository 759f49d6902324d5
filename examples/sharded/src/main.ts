import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/manager';
import { tour } from './tour.ts';

/** The replicas are processes of their own, on an API server in this process. */
const server = await createApiServer();
const client = createClient({ cluster: { server: server.url } });
try {
  const { overlaps, takeovers } = await tour(server.url, client, console.log);
  const times = Object.entries(takeovers).map(
    ([signal, ms]) => `${signal} ${(ms / 1000).toFixed(1)} s`,
  );
  console.log(`takeovers: ${times.join(', ')}; objects with two runs at once: ${overlaps.length}`);
} finally {
  await client.close();
  await server.close();
}
