import { expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from './index.ts';

test('the README example counts lists under a fault', async () => {
  // #region readme
  await using server = await createApiServer();
  const pods = `${server.url}/api/v1/namespaces/default/pods`;

  server.seed([
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: 'default' },
    },
  ]);

  // The server refuses the next two lists of pods and no other request.
  using fault = server.faults.throttle({
    resource: builtin.Pod,
    verb: 'list',
    times: 2,
    retryAfterSeconds: 1,
  });
  const refused = await fetch(pods); // 429
  await fetch(pods); // 429
  const accepted = await fetch(pods); // 200

  await server.idle(); // waits for the controllers inside the server
  const lists = server.stats.lists(builtin.Pod); // 3
  // #endregion readme
  expect([refused.status, accepted.status, lists, fault.hits]).toEqual([429, 200, 3, 2]);
});
